import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { accountIn, challenged, nobody } from '../src/network/account'
import { addressesOf } from '../src/adapters/addresses'
import { isWrite } from '../src/shared/protocol'
import { AccountWatch } from '../src/worker/account'
import { account, MemoryStore } from './fakes'
import { cases, golden, html } from './golden'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const page = (name: string) => html(golden(name).requests.at(-1)!)

it('is read from any page of the network', () => {
  for (const name of ['a profile', 'no profile', 'a search that finds nobody', 'a profile with too many requests', 'a message']) {
    expect(accountIn(200, page(name))).toEqual({ urn: expect.stringMatching(/^urn:network:member:\d+$/), slug: 'jo', name: 'Jo', signed_in: true })
  }
})

it('is signed out on the sign-in page and behind a challenge', () => {
  const out = { urn: '', slug: '', name: '', signed_in: false }
  expect(accountIn(403, page('a profile signed out'))).toEqual(out)
  expect(accountIn(403, page('a profile behind a challenge'))).toEqual({ ...out, challenge: true })
})

it('keeps its name when it is signed out, and a challenge only while it lasts', async () => {
  const watch = await AccountWatch.open(new MemoryStore(), () => 'http://network.test', () => {})
  await watch.saw(account)
  await watch.saw(challenged)
  expect(watch.now).toEqual({ ...account, signed_in: false, challenge: true })
  await watch.saw(nobody)
  expect(watch.now).toEqual({ ...account, signed_in: false })
  await watch.saw(challenged)
  await watch.saw(account)
  expect(watch.now).toEqual(account)
})

it('is not read from errors and unknown layouts', () => {
  expect(accountIn(502, page('a profile'))).toBeUndefined()
  expect(accountIn(200, page('a profile in another layout'))).toBeUndefined()
  expect(accountIn(200, '')).toBeUndefined()
  expect(accountIn(200, page('a profile').replace('data-layout="1"', 'data-layout="2"'))).toBeUndefined()
})

it('keeps the spelling of the member\'s name', () => {
  const named = (name: string) => accountIn(200, `<body data-page="feed" data-layout="1"><details class="account" data-viewer="u" data-slug="s" data-name="${name}">`)?.name
  expect(named('O&#39;Brien &amp; S&#xf6;n &lt;b&gt; &#34;x&#34; &amp;amp;')).toBe(`O'Brien & Sön <b> "x" &amp;`)
  expect(named('Zoë &unknown;')).toBe('Zoë &unknown;')
})

it('is read at a path of the network', () => {
  const addresses = addressesOf('server')
  for (const { task_type: type, input, error } of cases) {
    if (error?.code === 'invalid_input') continue
    // Reads leave one entry in the browser's history.
    if (!isWrite(type)) expect(addresses.startOf(type, input, 'http://network.test')).toBe(addresses.accountPath)
    expect(new URL(addresses.startOf(type, input, 'http://network.test'), 'http://network.test').origin).toBe('http://network.test')
  }
  expect(addresses.accountPath).toMatch(/^\//)
})

it('decides which adapter reads the network', async () => {
  const server = { '/invitations': page('a profile') }
  const rendered = { '/invitations': '<!doctype html><div id="root"></div>', '/api/me': JSON.stringify({ layout: 'a', viewer: { urn: 'u', slug: 'jo', name: 'Jo' } }) }
  let site: Record<string, string> = {}
  vi.stubGlobal('fetch', async (url: string) => {
    const body = site[new URL(url).pathname]
    return new Response(body ?? 'Not found', { status: body === undefined ? 404 : 200 })
  })
  const store = new MemoryStore(), open = () => AccountWatch.open(store, () => 'http://network.test', () => {})
  store.items['account'] = account
  let watch = await open()
  expect(watch.now.signed_in, 'before any answer').toBe(false)
  await watch.check()
  expect([watch.now.signed_in, store.items['adapter']]).toEqual([false, undefined])
  site = rendered
  await watch.check()
  expect([watch.now.slug, watch.adapter]).toEqual(['jo', 'single_page'])
  watch = await open()
  expect([watch.now.slug, watch.adapter], 'after a restart of the worker').toEqual(['jo', 'single_page'])
  site = server
  await watch.check()
  expect(watch.adapter, 'the site has changed').toBe('server')
  await watch.forget()
  expect([watch.now.signed_in, store.items]).toEqual([false, {}])
})

it('is read again within 30 seconds while the member is at the network, until someone is signed in', async () => {
  vi.useFakeTimers()
  let body = page('a profile behind a challenge'), status = 403, asked = 0
  vi.stubGlobal('fetch', async () => {
    asked++
    return new Response(body, { status })
  })
  const watch = await AccountWatch.open(new MemoryStore(), () => 'http://network.test', () => {})
  void watch.visited()
  void watch.visited() // each page that loads is a visit
  await vi.advanceTimersByTimeAsync(65_000)
  expect(watch.now.challenge).toBe(true)
  body = page('a profile') // the member has passed it, and no page has loaded
  status = 200
  await vi.advanceTimersByTimeAsync(30_000)
  expect(watch.now.signed_in).toBe(true)
  const sofar = asked
  await vi.advanceTimersByTimeAsync(600_000)
  expect(asked, 'of someone who is signed in').toBe(sofar)

  await watch.saw(nobody)
  body = page('a profile signed out')
  void watch.visited()
  await vi.advanceTimersByTimeAsync(3600_000)
  expect(asked - sofar, 'of a member who has left').toBeLessThan(45)
})

it('is read by one adapter only', () => {
  for (const [adapter, other] of [['server', 'single_page'], ['single_page', 'server']] as const) {
    for (const file of readdirSync(`test/saved/${adapter}`)) {
      const text = readFileSync(`test/saved/${adapter}/${file}`, 'utf8')
      for (const status of [200, 403, 404]) expect(addressesOf(other).accountIn(status, text), file).toBeUndefined()
    }
  }
})
