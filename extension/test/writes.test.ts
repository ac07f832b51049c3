import { afterEach, describe, expect, it, vi } from 'vitest'
import { openPages } from '../src/network/pages'
import { accountPath } from '../src/network/paths'
import { PageAgent } from '../src/page/agent'
import type { FromPage } from '../src/shared/messages'
import { writes } from '../src/page/tasks'
import { Fault, taskError } from '../src/shared/fault'
import { isWrite, needless } from '../src/shared/protocol'
import { cases, golden, html, Network, type Exchange, type Golden } from './golden'
import { openTab } from './tab'

afterEach(() => vi.unstubAllGlobals())

const types = Object.keys(writes)
const typeOf = ({ task_type: type }: Golden) => {
  if (!isWrite(type)) throw new Error('no write')
  return type
}

/** A tab open where a write begins. */
function tabOf(g: Golden, exchanges: Exchange[] = g.requests) {
  const network = new Network(exchanges)
  const first = g.requests[0]!
  openTab(html(first), first.path, network)
  return network
}

it('has pages for every type of write', () => {
  expect(types.filter(type => !cases.some(c => c.task_type === type && c.output))).toEqual([])
})

for (const g of cases.filter(c => types.includes(c.task_type))) {
  it(`${g.task_type}: ${g.name}`, async () => {
    if (g.requests.length === 0) vi.stubGlobal('fetch', new Network([]).fetch)
    const network = g.requests.length === 0 ? new Network([]) : tabOf(g)
    const write = writes[typeOf(g)]
    const post = g.requests.find(e => e.method === 'POST')
    const looked = await write.look(g.input, openPages()).catch((failure: unknown) => failure as Fault)
    if (looked instanceof Error) {
      // An impossible write is detected before anything is touched.
      expect(post).toBeUndefined()
      expect(taskError(looked, true)).toMatchObject({ code: g.error?.code, acted: false })
      return
    }
    if (g.error && !post) { // needless, as the page shows
      expect(looked.witness.done).toBe(true)
      expect(needless(typeOf(g))).toBe(g.error.code)
      expect(await write.act(g.input, openPages()).catch((failure: unknown) => taskError(failure, true))).toMatchObject({ code: g.error.code, acted: false })
      expect(network.posts).toEqual([])
      return
    }
    if (!post) { // already done, as the page shows
      expect(looked).toMatchObject({ witness: { done: true }, output: g.output, target: { url: expect.stringMatching(/^http:\/\/network\.test\//) as string } })
      expect(await write.act(g.input, openPages())).toEqual(g.output)
      expect(network.posts).toEqual([])
      return
    }
    const acted = await write.act(g.input, openPages()).catch((failure: unknown) => failure as Fault)
    if (g.error) expect(taskError(acted, true)).toMatchObject({ code: g.error.code, acted: g.error.acted })
    else expect(acted).toEqual(g.output)
    expect(network.posts).toHaveLength(1)
    const { path, token, body } = network.posts[0]!
    expect({ path, token, form: Object.fromEntries(new URLSearchParams(body)) }).toEqual({
      path: pathBySlug(post.path, html(g.requests[0]!)), token: 'token-of-the-page', form: expectedForm(post),
    })
    if (!g.after) return
    // Afterwards the page shows the write, and the witness differs by one.
    vi.stubGlobal('fetch', new Network([g.after]).fetch)
    const after = await write.look(g.input, openPages())
    if (g.error) expect(after).toEqual(looked)
    else if (looked.witness.count === undefined) expect([looked.witness.done, after.witness.done]).toEqual([false, true])
    else {
      expect(after.witness.count).toBe(looked.witness.count + 1)
      expect(after.output).toEqual(g.output)
    }
  })
}

/** The address of a write, with the slug of the member that it names by number. */
function pathBySlug(path: string, page: string): string {
  const slug = /<section class="(?:profile|thread)" data-urn="[^"]*" data-slug="([^"]*)"/.exec(page)?.[1]
  return slug === undefined ? path : path.replace(/^(\/\w+\/)\d+/, `$1${slug}`)
}

/** The form of the headless session. */
function expectedForm(post: Exchange): Record<string, string> {
  return Object.fromEntries(Object.entries(post.form ?? {}).map(([name, values]) => [name, values[0]!]))
}

it('counts earlier writes', async () => {
  for (const [name, count] of [['a comment', 0], ['a second comment', 1], ['a message', 0], ['a second message', 1]] as const) {
    const g = golden(name)
    tabOf(g)
    expect((await writes[typeOf(g)].look(g.input, openPages())).witness).toEqual({ count })
  }
})

it('treats all forms of line breaks as equal', async () => {
  const g = golden('a second comment')
  tabOf(g)
  const input = { ...g.input, comment_text: g.input.comment_text.replace('\n', '\r\n') }
  expect((await writes.agent_comment_post.look(input, openPages())).witness).toEqual({ count: 1 })
})

describe('a write on the open page', () => {
  const answered = (name: string, answer: (path: string) => Promise<Response>) => {
    const g = golden(name)
    const network = new Network(g.requests)
    const posts: string[] = []
    openTab(html(g.requests[0]!), g.requests[0]!.path, {
      fetch: (input, init) => {
        if (init?.method !== 'POST') return network.fetch(input, init)
        posts.push(String(input))
        return answer(String(input))
      },
    })
    const done = writes[typeOf(g)].act(g.input, openPages()).then(() => undefined, (failure: unknown) => taskError(failure, true))
    return { done, posts }
  }
  const page = (name: string) => html(golden(name).requests.at(-1)!)

  it('without a response is not sure', async () => {
    for (const answer of [
      async () => { throw new TypeError('connection closed') },
      async () => new Response('bad gateway', { status: 502 }),
      async () => new Response(page('a like in another layout')),
      async () => new Response('<html>'),
    ]) {
      const { done, posts } = answered('a like', answer)
      expect(await done).toMatchObject({ code: 'timeout', acted: null })
      expect(posts).toHaveLength(1)
      vi.unstubAllGlobals()
    }
  })

  it('is certainly not done when the network refuses it', async () => {
    const block = (data: unknown) => `<main><section><p>No.</p></section></main><script type="application/json" id="page-data">${JSON.stringify(data)}</script>`
    for (const [data, code, message, slowDown] of [
      [{ kind: 'limit', limit: { action: 'like', reason: 'daily_limit', resets_at: '2030-01-10T00:00:00Z' } }, 'network_limit', 'daily_limit of like until 2030-01-10T00:00:00Z'],
      [{ kind: 'limit', limit: { action: 'any', reason: 'rate_limited' } }, 'network_limit', 'rate_limited of any', true],
      [{ kind: 'sign_in' }, 'signed_out'],
      [{ kind: 'challenge' }, 'challenge'],
      [{ kind: 'not_found' }, 'not_found'],
      [{ kind: 'refused', reason: 'company_not_managed' }, 'company_not_managed'],
      [{ kind: 'refused', reason: 'not_connected' }, 'not_connected'],
      [{ kind: 'refused', reason: 'invalid' }, 'invalid_input'],
      [{ kind: 'refused', reason: 'mood' }, 'page_not_understood'],
    ] as const) {
      const { done } = answered('a like', async () => new Response(block(data)))
      expect(await done).toMatchObject({ code, acted: false, ...message && { message }, ...slowDown && { slow_down: true } })
      vi.unstubAllGlobals()
    }
  })

  it('counts a pending invitation as done', async () => {
    const refused = '<script type="application/json" id="page-data">{"kind":"refused","reason":"invitation_pending"}</script>'
    const { done } = answered('an invitation', async () => new Response(refused))
    expect(await done).toBeUndefined()
  })

  it('is sent again once with a new token after a stale one', async () => {
    const stale = '<script type="application/json" id="page-data">{"kind":"refused","reason":"csrf"}</script>'
    const g = golden('a like')
    const tokens: (string | null)[] = []
    openTab(html(g.requests[0]!), g.requests[0]!.path, {
      fetch: async (input, init) => {
        if (init?.method !== 'POST') return new Response(String(input) === accountPath ? html(g.requests[0]!).replace('token-of-the-page', 'fresh') : '')
        tokens.push(new Headers(init.headers).get('X-CSRF-Token'))
        return new Response(stale)
      },
    })
    await expect(writes.agent_like_post.act(g.input, openPages())).rejects.toMatchObject({ code: 'page_not_understood', sure: true })
    expect(tokens).toEqual(['token-of-the-page', 'fresh'])
  })

  it('does not begin on another page', async () => {
    for (const [name, code] of [['a profile signed out', 'signed_out'], ['no profile', 'not_found'], ['a profile in another layout', 'page_not_understood'], ['a profile', 'page_not_understood'], ['a profile behind a challenge', 'challenge']] as const) {
      const network = new Network([])
      openTab(page(name), '/posts/1', network)
      const failure = await writes.agent_like_post.act({ social_urn: '1' }, openPages()).catch((f: unknown) => f)
      expect(taskError(failure, true)).toMatchObject({ code, acted: false })
      expect(network.asked).toEqual([])
      vi.unstubAllGlobals()
    }
  })
})

describe('a write as another account', () => {
  /**
   * Starts the golden like on its page, in a browser that is now signed in as the
   * account with that URN.
   */
  const like = async (account: string, signedIn: (page: string) => Response) => {
    const g = golden('a like')
    const network = new Network(g.requests)
    const page = html(g.requests[0]!)
    openTab(page, g.requests[0]!.path, {
      fetch: (input, init) => String(input) === accountPath ? Promise.resolve(signedIn(page)) : network.fetch(input, init),
    })
    const told: FromPage[] = []
    new PageAgent(openPages, async m => told.push(m)).start('t1', 'r1', 'agent_like_post', g.input, account)
    await vi.waitFor(() => expect(told).toHaveLength(1))
    return { told: told[0], posts: network.posts }
  }
  const viewer = () => /data-viewer="([^"]*)"/.exec(html(golden('a like').requests[0]!))![1]!
  const as = (urn: string) => (page: string) => new Response(page.replace(/data-viewer="[^"]*"/, `data-viewer="${urn}"`))

  it('acts as the account of the task', async () => {
    const { told, posts } = await like(viewer().toUpperCase(), as(viewer()))
    expect(told).not.toHaveProperty('error')
    expect(posts).toHaveLength(1)
  })

  it('does not act when the member has signed in as another account since the page was opened', async () => {
    const { told, posts } = await like(viewer(), as('urn:network:member:jan'))
    expect(told).toMatchObject({ error: { code: 'signed_out', acted: false }, account: { urn: 'urn:network:member:jan' } })
    expect(posts).toEqual([])
  })

  it('does not act when the tab has left the page of the task', async () => {
    const g = golden('a like')
    tabOf(g)
    await expect(openPages().expectAccount(viewer(), '/posts/1')).rejects.toMatchObject({ code: 'timeout', sure: true })
  })

  it('does not act on a page of another account', async () => {
    const { told, posts } = await like('urn:network:member:jan', as('urn:network:member:jan'))
    expect(told).toMatchObject({ error: { code: 'signed_out', acted: false } })
    expect(posts).toEqual([])
  })

  it('does not act when the member signs in as another account after the check', async () => {
    const g = golden('a comment')
    const page = html(g.requests[0]!), other = page.replace(/data-viewer="[^"]*"/, 'data-viewer="urn:network:member:jan"').replace('token-of-the-page', "jan's")
    const network = new Network(g.requests), tokens: (string | null)[] = []
    let checks = 0
    openTab(page, g.requests[0]!.path, {
      fetch: async (input, init) => {
        if (String(input) === accountPath) return new Response(checks++ === 0 ? page : other)
        if (init?.method !== 'POST') return network.fetch(input, init)
        tokens.push(new Headers(init.headers).get('X-CSRF-Token'))
        return new Response('<script type="application/json" id="page-data">{"kind":"refused","reason":"csrf"}</script>')
      },
    })
    const told: FromPage[] = []
    new PageAgent(openPages, async m => told.push(m)).start('t1', 'r1', 'agent_comment_post', g.input, viewer())
    await vi.waitFor(() => expect(told).toHaveLength(1))
    expect(told[0]).toMatchObject({ error: { code: 'signed_out', acted: false }, account: { urn: 'urn:network:member:jan' } })
    expect(tokens).toEqual(['token-of-the-page'])
  })

  it('does not act when no account is signed in, or the network does not show it', async () => {
    const out = await like(viewer(), () => new Response('<body data-page="sign_in" data-layout="1">'))
    expect(out.told).toMatchObject({ error: { code: 'signed_out', acted: false } })
    vi.unstubAllGlobals()
    const silent = await like(viewer(), () => new Response('bad gateway', { status: 502 }))
    expect(silent.told).toMatchObject({ error: { code: 'timeout', acted: false } })
    vi.unstubAllGlobals()
    const unknown = await like(viewer(), () => new Response('<body data-layout="9">'))
    expect(unknown.told).toMatchObject({ error: { code: 'timeout', acted: false } })
    expect([...out.posts, ...silent.posts, ...unknown.posts]).toEqual([])
  })
})
