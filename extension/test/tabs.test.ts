import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Pages, PostPage } from '../src/network/adapter'
import { silent } from '../src/worker/attend'
import type { Entry } from '../src/worker/journal'
import { Runner } from '../src/worker/runner'
import { Task } from '../src/worker/task'
import { FakeBrowser } from './browser'
import { account, FakeAccounts, handOut, MemoryStore, open } from './fakes'

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const after = <T>(ms: number, value: T): Promise<T> => new Promise(resolve => setTimeout(() => resolve(value), ms))
const never = () => new Promise<never>(() => {})
const post = { content: 'Hello', url: 'http://network.test/posts/1', author: { name: 'Jan', url: 'http://network.test/in/jan' }, likedBy: [], comments: [] } as unknown as PostPage
const pages: Partial<Pages> = { account, post: async () => post, actor: () => ({ urn: account.urn, company: '' }), expectAccount: async () => {}, doLike: async () => {} }

function browse(of: () => Partial<Pages> = () => pages): FakeBrowser {
  const browser = new FakeBrowser(of)
  vi.stubGlobal('chrome', browser.chrome)
  vi.stubGlobal('location', new URL('http://network.test/posts/1'))
  return browser
}

const like = (more: Partial<Entry> = {}) => new Task({ task: 't1', lease: 'l1', attempt: 1, task_type: 'agent_like_post', input: { social_urn: '1' }, state: 'received', at: 0, account: account.urn, ...more })
const posts = () => new Task({ task: 't1', lease: 'l1', attempt: 1, task_type: 'agent_profiles_posts_fetch', input: { profile_urns: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }, state: 'received', at: 0, account: account.urn })

/** The time until work has ended, and how. */
async function timed(work: Promise<unknown>): Promise<{ s: number; end: unknown }> {
  const began = Date.now()
  let end: { s: number; end: unknown } | undefined
  const ended = (how: unknown) => { end = { s: Math.round((Date.now() - began) / 1000), end: how } }
  void work.then(ended, ended)
  for (let s = 0; s < 600 && !end; s++) await vi.advanceTimersByTimeAsync(1000)
  return end ?? { s: Infinity, end: undefined }
}

describe('a page that the browser freezes', () => {
  it('is opened anew in a minimised window', async () => {
    const browser = browse()
    browser.behaves = place => ({ frozen: place === 'tab' })
    expect(await timed(browser.tabs.look(like()))).toEqual({ s: 20, end: expect.objectContaining({ witness: { done: false } }) as unknown })
    expect(browser.opened).toEqual(['tab', 'minimised'])
    expect(browser.openTabs).toBe(1)
  })

  it('everywhere is given up', async () => {
    const browser = browse()
    browser.behaves = () => ({ frozen: true })
    expect(await timed(browser.tabs.look(like()))).toEqual({ s: 40, end: silent })
    expect(await timed(browser.tabs.run(posts(), () => {}))).toEqual({ s: 20, end: silent }) // the same task: no tab is tried again
    expect(browser.opened).toEqual(['tab', 'minimised', 'minimised'])
  })

  it('during a read has the read begin anew', async () => {
    const browser = browse(() => ({ ...pages, posts: async () => ({ posts: [], more: false }) }))
    browser.behaves = place => ({ freezesAtStart: place === 'tab' })
    expect(await timed(browser.tabs.run(posts(), () => {}))).toEqual({ s: 20, end: expect.objectContaining({ output: { posts: [] } }) as unknown })
    expect(browser.opened).toEqual(['tab', 'minimised'])
  })

  it('during a write is closed, and looked at elsewhere', async () => {
    const browser = browse(() => ({ ...pages, doLike: never }))
    browser.behaves = place => ({ freezesAtStart: place === 'tab' })
    const task = like({ begun: true })
    await browser.tabs.look(task)
    expect(await timed(browser.tabs.run(task, () => {}))).toEqual({ s: 20, end: silent })
    expect(await timed(browser.tabs.look(task))).toMatchObject({ s: 0, end: { witness: { done: false } } })
    expect(browser.opened).toEqual(['tab', 'minimised'])
    expect(browser.openTabs).toBe(1)
  })
})

it('a page that never loads is given up', async () => {
  const browser = browse()
  browser.behaves = (_, nth) => ({ loads: nth > 3 })
  expect(await timed(browser.tabs.look(like()))).toEqual({ s: 40, end: silent })
  expect(await timed(browser.tabs.look(like({ task: 't2' })))).toMatchObject({ s: 20, end: { output: { liked: true } } }) // the earlier one waits for nothing
})

describe('a network that does not answer', () => {
  it.each([
    ['a look', () => ({ post: never }), like(), (browser: FakeBrowser, task: Task) => browser.tabs.look(task), 55],
    ['a read', () => ({ posts: never }), posts(), (browser: FakeBrowser, task: Task) => browser.tabs.run(task, () => {}), 55],
    ['a write', () => ({ doLike: never }), like({ begun: true }), (browser: FakeBrowser, task: Task) => browser.tabs.run(task, () => {}), 32], // after 2 s it is heard that the account was checked
  ])('ends %s within a minute', async (_, broken, task, work, s) => {
    const browser = browse(() => ({ ...pages, ...broken() }))
    expect(await timed(work(browser, task))).toMatchObject({ s, end: { code: 'timeout' } })
  })

  it('does not end a read that gets on', async () => {
    const browser = browse(() => ({ ...pages, posts: () => after(15_000, { posts: [], more: false }) }))
    const task = posts()
    const { s, end } = await timed(browser.tabs.run(task, () => {}))
    expect(end).toMatchObject({ output: { posts: [] } })
    expect(s).toBe(120)
  })
})

describe.each([
  ['freezes', { frozen: true }, { reason: 'frozen' }, 40],
  ['never loads', { loads: false }, { reason: 'frozen' }, 40],
  ['never gets an answer', {}, { error: { code: 'timeout', acted: false } }, 55],
])('a task whose page %s', (_, first, told, s) => {
  it.each(['agent_like_post', 'agent_profile_fetch'])('lets the next one begin within a minute: %s', async type => {
    const answers = [...'error' in told ? [never] : [], async () => ({ name: 'Jane', positions: [], education: [], skills: [] }) as never]
    const browser = browse(() => {
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!
      return { ...pages, post: answer, profile: answer }
    })
    browser.behaves = (_, nth) => nth <= 2 ? first : {}
    const { session, said, welcome } = await open(new MemoryStore(), Date.now)
    const control = new AbortController()
    void new Runner(session, browser.tabs, new FakeAccounts()).work(control.signal)
    welcome(Date.now())
    const began = Date.now()
    await session.receive(handOut(type, type === 'agent_like_post' ? { social_urn: '1' } : { profile_slug: 'jane' }))
    await session.receive({ ...handOut('agent_profile_fetch', { profile_slug: 'jane' }), task: 't2' })
    while (said.filter(f => f.type === 'released' || f.type === 'result').length < 2) await vi.advanceTimersByTimeAsync(1000)
    expect(Math.round((Date.now() - began) / 1000)).toBe(s)
    expect(said.filter(f => f.type === 'released' || f.type === 'result')).toMatchObject([{ task: 't1', ...told }, { task: 't2', output: { name: 'Jane' } }])
    expect(browser.openTabs).toBe(0)
    control.abort()
  })
})

it.each([
  ['all freeze', (nth: number) => nth === 1 ? { freezesAtStart: true } : { frozen: true }],
  ['never load', (nth: number) => nth === 1 ? { freezesAtStart: true } : { loads: false }],
  ['get no answers', () => ({})],
])('a write whose pages %s ends as unknown within a minute', async (_, behaves) => {
  let opened = 0
  const browser = browse(() => ({ ...pages, doComment: never, ...opened++ > 0 && { post: never } }))
  browser.behaves = (_, nth) => behaves(nth)
  const { session, said, welcome } = await open(new MemoryStore(), Date.now)
  void new Runner(session, browser.tabs, new FakeAccounts()).work(new AbortController().signal)
  welcome(Date.now())
  await session.receive(handOut('agent_comment_post', { social_urn: '1', comment_text: 'Hi' }))
  while (!said.some(f => f.type === 'acting')) await vi.advanceTimersByTimeAsync(1000)
  const began = Date.now()
  await session.receive({ type: 'go', task: 't1', lease: 'l1' })
  while (!said.some(f => f.type === 'result')) await vi.advanceTimersByTimeAsync(1000)
  expect(said.at(-1)).toMatchObject({ error: { code: 'outcome_unknown', acted: null } })
  expect(browser.opened.length).toBeGreaterThan(1)
  expect((Date.now() - began) / 1000).toBeLessThan(60)
})

it('a task that its page keeps waiting is slow, and the member skips it', async () => {
  const browser = browse(() => ({ ...pages, profile: never }))
  const { session, said, welcome } = await open(new MemoryStore(), Date.now)
  void new Runner(session, browser.tabs, new FakeAccounts()).work(new AbortController().signal)
  welcome(Date.now())
  await session.receive(handOut('agent_profile_fetch', { profile_slug: 'jane' }))
  await vi.advanceTimersByTimeAsync(12_000)
  expect(session.running?.quiet).toBeGreaterThanOrEqual(10_000)
  expect(session.skippable).toBe(true)
  await session.skip()
  await vi.advanceTimersByTimeAsync(1000)
  expect(said.at(-1)).toEqual({ type: 'released', task: 't1', lease: 'l1', reason: 'skipped' })
  expect([session.running, browser.openTabs]).toEqual([undefined, 0])
})
