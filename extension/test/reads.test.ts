// @vitest-environment happy-dom
// @vitest-environment-options {"url": "http://network.test/", "settings": {"disableCSSFileLoading": true, "disableJavaScriptFileLoading": true, "handleDisabledFileLoadingAsSuccess": true}}
import { afterEach, expect, it, vi } from 'vitest'
import { openPages } from '../src/network/pages'
import { startOf } from '../src/network/paths'
import { reads } from '../src/page/tasks'
import { Fault, taskError } from '../src/shared/fault'
import { isWrite, type Post } from '../src/shared/protocol'
import { cases, golden, html, Network, type Exchange, type Golden } from './golden'

afterEach(() => vi.unstubAllGlobals())

/** Runs a read on a network with the given exchanges. */
async function read({ task_type: type, input }: Golden, exchanges: Exchange[]) {
  if (isWrite(type)) throw new Error('a write')
  const network = new Network(exchanges)
  vi.stubGlobal('fetch', network.fetch)
  const pages = openPages()
  const parts: Post[][] = []
  try {
    const output = await reads[type](input, { pages, signal: new AbortController().signal, part: async posts => { parts.push(posts) } })
    return { output, parts, pages, network }
  } catch (failure) {
    return { error: taskError(failure, false), failure, parts, pages, network }
  }
}

const types = Object.keys(reads)

it('has pages for every type of read', () => {
  expect(types.filter(type => !cases.some(c => c.task_type === type && c.output))).toEqual([])
})

for (const g of cases.filter(c => types.includes(c.task_type))) {
  it(`${g.task_type}: ${g.name}`, async () => {
    const got = await read(g, g.requests)
    if (g.error) {
      expect(got.failure).toBeInstanceOf(Fault)
      expect(got.error).toMatchObject({ code: g.error.code, acted: false })
      if (g.error.code === 'network_limit') expect(got.error).toEqual(g.error)
    } else {
      expect(got.error).toBeUndefined()
      expect(JSON.parse(JSON.stringify(got.output))).toEqual(g.output)
      expect(got.pages.account).toMatchObject({ slug: 'jo', name: 'Jo', signed_in: true })
    }
    expect(got.network.asked.length).toBe(g.requests.filter(e => !e.location).length)
  })
}

it('reports a signed-out page', async () => {
  for (const name of ['a profile signed out', 'a profile behind a challenge']) {
    const g = golden(name)
    expect((await read(g, g.requests)).pages.account).toMatchObject({ signed_in: false })
  }
})

it('does not start a task at an address of another site', () => {
  for (const ref of ['https://evil.example/in/jo', '//evil.example/in/jo', 'in/../jo', '/in/jo?x=//evil.example']) {
    const path = (() => { try { return startOf('agent_profile_fetch', { profile_slug: ref }) } catch (failure) { return failure } })()
    if (typeof path === 'string') expect(new URL(path, 'http://network.test').href).toBe('http://network.test/in/jo')
    else expect(path).toMatchObject({ code: 'invalid_input' })
  }
})

// The adapter notices every missing element that it needs: it never reports
// less than the page shows.
const changes: Record<string, [name: string, changes: Record<string, (page: string) => string>]> = {
  profile: ['a profile', {
    'another layout': p => p.replace('data-layout="1"', 'data-layout="2"'),
    'no layout': p => p.replace(' data-layout="1"', ''),
    'no viewer': p => p.replace(/<details class="account"[\s\S]*?<\/details>/, ''),
    'no urn': p => p.replace(/(<section class="profile") data-urn="[^"]*"/, '$1'),
    'an unknown relation': p => p.replace(/data-relation="[^"]*"/, 'data-relation="friend"'),
    'no list of jobs': p => p.replace('class="plain positions"', 'class="plain jobs"'),
    'another mark-up of jobs': p => p.replaceAll('class="title"', 'class="role"'),
    'months in words': p => p.replace(/datetime="\d{4}-\d\d"/, 'datetime="May 2020"'),
    'no followers': p => p.replace('class="followers"', 'class="fans"'),
    'followers in words': p => p.replace(/class="followers" value="\d+"/, 'class="followers" value="12k"'),
    'no skills': p => p.replace('class="skills chips"', 'class="chips"'),
  }],
  company: ['a company', {
    'no name': p => p.replace('class="name">', 'class="title">').replace('<h1 class="name"', '<h1'),
    'no employees': p => p.replace('class="employees"', 'class="people"'),
    'no logo': p => p.replace('class="logo"', 'class="sign"'),
  }],
  posts: ["a company's posts", {
    'no list': p => p.replace('data-list="posts"', ''),
    'no word on more': p => p.replace(/data-more="\w+"/, ''),
    'posts in another mark-up': p => p.replaceAll('<article class="post"', '<article class="entry"'),
    'a post without text': p => p.replace('<div class="content"', '<div class="words"'),
    'a post without time': p => p.replace(/<time datetime="[^"]*"/, '<time'),
    'a post with a vague time': p => p.replace(/<time datetime="[^"]*"/, '<time datetime="last week"'),
    'a post without author': p => p.replace('<div class="by"', '<div class="from"'),
    'a post without counters': p => p.replace('class="likes"', 'class="hearts"'),
  }],
  people: ['a search for people', {
    'no total': p => p.replace(/data-total="\d+"/, ''),
    'people in another mark-up': p => p.replaceAll('<li class="person"', '<li class="member"'),
    'a person without degree': p => p.replace(/data-degree="\d"/, ''),
  }],
}

for (const [what, [name, of]] of Object.entries(changes)) {
  for (const [change, apply] of Object.entries(of)) {
    it(`${what} with ${change} is not understood`, async () => {
      const g = golden(name)
      const before = html(g.requests[0]!)
      const after = apply(before)
      expect(after).not.toBe(before)
      vi.stubGlobal('fetch', async () => new Response(after))
      if (isWrite(g.task_type)) throw new Error('a write')
      const failed = reads[g.task_type](g.input, { pages: openPages(), signal: new AbortController().signal, part: async () => {} })
      await expect(failed).rejects.toMatchObject({ code: 'page_not_understood' })
    })
  }
}

it('treats no response and 5xx as a timeout', async () => {
  const g = golden('a company')
  for (const answer of [async () => new Response('', { status: 502 }), async () => { throw new TypeError('down') }]) {
    vi.stubGlobal('fetch', answer)
    await expect(openPages().company(g.input.company_slug)).rejects.toMatchObject({ code: 'timeout', sure: true })
  }
})
