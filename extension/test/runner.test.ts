import { describe, expect, it, vi } from 'vitest'
import type { Account, FromSession, TaskError } from '../src/shared/protocol'
import type { LookAnswer } from '../src/shared/messages'
import { Runner } from '../src/worker/runner'
import { account, FakeAccounts, FakeTabs, handOut, MemoryStore, open, start } from './fakes'

const sees = (count: number): LookAnswer => ({ witness: { count }, output: { commented: true, comment_urn: count > 0 ? `c${count}` : '' }, account })
const done = (yes: boolean): LookAnswer => ({ witness: { done: yes }, output: { liked: true }, account })
const lost = { error: { code: 'timeout', message: 'no answer', acted: null } satisfies TaskError }
const commented = { output: { commented: true, comment_urn: 'c1' } }

/** A runner on a store; go is given unless the test decides otherwise. */
async function runnerOn(tabs: FakeTabs, { store = new MemoryStore(), go = true, clock = () => start } = {}) {
  const { session, said, welcome } = await open(store, clock)
  const accounts = new FakeAccounts()
  const waited: number[] = []
  const runner = new Runner(session, tabs, accounts, () => {}, async ms => { waited.push(ms) }, clock)
  const control = new AbortController()
  void runner.work(control.signal)
  welcome()
  const next = async (type: FromSession['type']) => {
    await vi.waitFor(() => expect(said.map(f => f.type)).toContain(type))
    return said.find(f => f.type === type)!
  }
  const result = async () => {
    let read = 0
    await vi.waitFor(async () => {
      for (; go && read < said.length; read++) if (said[read]!.type === 'acting') await session.receive({ type: 'go', task: 't1', lease: 'l1' })
      expect(said.map(f => f.type)).toContain('result')
    })
    return next('result')
  }
  return { store, session, said, runner, accounts, waited, next, result, die: () => control.abort() }
}

/** The store after a crash during a begun write. */
function begun(task_type: string, more: object = {}) {
  const store = new MemoryStore()
  store.items = { 'journal': 'j', 'task:t1': { task: 't1', lease: 'l1', attempt: 1, task_type, input: {}, state: 'acting', at: start, account: account.urn, witness: { count: 0 }, acting_at: start, begun: true, ...more } }
  return store
}

describe('a read', () => {
  it('runs and is reported', async () => {
    const tabs = new FakeTabs()
    tabs.runs = [() => ({ output: { name: 'Jane' }, account: { urn: 'u', slug: 's', name: 'n', signed_in: true } })]
    const { session, result, accounts, store } = await runnerOn(tabs)
    await session.receive(handOut('agent_profile_fetch'))
    expect(await result()).toMatchObject({ output: { name: 'Jane' } })
    expect(store.items['task:t1']).toMatchObject({ state: 'done' })
    expect(accounts.seen).toHaveLength(1)
    expect(tabs.calls).toEqual(['run', 'close'])
  })

  it('is done only when its parts are stored', async () => {
    const tabs = new FakeTabs()
    tabs.runs = [part => {
      part({ type: 'part', task: 't1', run: 'r', seq: 0, posts: [] })
      return { parts: 1, output: { posts: [], exhausted: true } }
    }]
    const { session, next, said, result, store } = await runnerOn(tabs)
    await session.receive(handOut('keyword_scan'))
    await next('part')
    expect(store.items['task:t1']).toMatchObject({ state: 'received' })
    expect(said.map(f => f.type)).not.toContain('result')
    await session.receive({ type: 'ack', task: 't1', seq: 0 })
    await result()
  })

  it('touches nothing after its deadline', async () => {
    const tabs = new FakeTabs()
    const store = new MemoryStore()
    store.items = { 'task:t1': { task: 't1', lease: 'l1', attempt: 1, task_type: 'keyword_scan', input: {}, state: 'received', at: start, deadline: start } }
    const { next } = await runnerOn(tabs, { store })
    expect(await next('released')).toMatchObject({ reason: 'deadline' })
    expect(tabs.calls).not.toContain('run')
  })
})

describe('a write', () => {
  it('waits for go', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => sees(0)]
    tabs.runs = [() => commented]
    const { session, next, store } = await runnerOn(tabs, { go: false })
    await session.receive(handOut('agent_comment_post'))
    await next('acting')
    expect(store.items['task:t1']).toMatchObject({ state: 'acting', witness: { count: 0 } })
    expect(store.items['task:t1']).not.toHaveProperty('begun')
    expect(tabs.calls).toEqual(['look'])
    await session.receive({ type: 'go', task: 't1', lease: 'older' })
    expect(tabs.calls).toEqual(['look'])
    await session.receive({ type: 'go', task: 't1', lease: 'l1' })
    expect(await next('result')).toMatchObject(commented)
  })

  it('is not repeated when the page already shows it', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => done(true)]
    const { session, result } = await runnerOn(tabs)
    await session.receive(handOut('agent_like_post'))
    expect(await result()).toMatchObject({ output: { liked: true } })
    expect(tabs.calls).not.toContain('run')
  })

  it('that the page shows as needless does not begin', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => ({ ...done(true), output: { withdrawn: true } })]
    const { session, result, said } = await runnerOn(tabs, { go: false })
    await session.receive(handOut('agent_withdraw_invitation'))
    expect(await result()).toMatchObject({ error: { code: 'not_invited', acted: false } })
    expect(said.map(f => f.type)).not.toContain('acting')
  })

  it('that the page shows as done after it began is done', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => ({ ...done(true), output: { withdrawn: true } })]
    const { next } = await runnerOn(tabs, { store: begun('agent_withdraw_invitation', { witness: { done: false } }) })
    expect(await next('result')).toMatchObject({ output: { withdrawn: true } })
  })

  it('that a restored service has forgotten is not done again', async () => {
    for (const [shown, expected] of [[1, { error: { code: 'outcome_unknown', acted: false } }], [0, commented]] as const) {
      const tabs = new FakeTabs()
      tabs.looks = [() => sees(shown)]
      tabs.runs = [() => commented]
      const { session, result } = await runnerOn(tabs)
      await session.receive(handOut('agent_comment_post', {}, { restored: true }))
      expect(await result()).toMatchObject(expected)
      expect(tabs.calls.filter(c => c === 'run')).toHaveLength(shown === 0 ? 1 : 0)
    }
  })

  it('of the same text is done again when the service knows both', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => sees(1)]
    tabs.runs = [() => commented]
    const { session, result } = await runnerOn(tabs)
    await session.receive(handOut('agent_comment_post'))
    expect(await result()).toMatchObject(commented)
  })

  it('is returned when another account has signed in since', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => ({ ...sees(0), account: { ...account, urn: 'urn:n:member:2' } })]
    const { session, next, store } = await runnerOn(tabs)
    await session.receive(handOut('agent_comment_post'))
    expect(await next('released')).toMatchObject({ reason: 'account' })
    expect(store.items).not.toHaveProperty('task:t1')
    expect(tabs.calls).not.toContain('run')
  })

  it('fails when the network certainly refused it', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => sees(0)]
    tabs.runs = [() => ({ error: { code: 'not_connected', message: 'no', acted: false } })]
    const { session, result } = await runnerOn(tabs)
    await session.receive(handOut('agent_send_message'))
    expect(await result()).toMatchObject({ error: { code: 'not_connected', acted: false } })
  })

  it('without a response is looked up on the page', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => sees(0), () => sees(1)]
    tabs.runs = [() => lost]
    const { session, result } = await runnerOn(tabs)
    await session.receive(handOut('agent_comment_post'))
    expect(await result()).toMatchObject(commented)
    expect(tabs.calls.filter(c => c === 'run')).toHaveLength(1)
  })
})

describe('after a crash', () => {
  it('waits for the page that still runs the write', async () => {
    const tabs = new FakeTabs()
    tabs.rejoined = { type: 'outcome', task: 't1', run: 'r', parts: 0, ...commented }
    const { result } = await runnerOn(tabs, { store: begun('agent_comment_post') })
    expect(await result()).toMatchObject(commented)
    expect(tabs.calls).toEqual(['rejoin', 'close'])
  })

  it('a visible write counts as done', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => sees(1)]
    const { result, waited } = await runnerOn(tabs, { store: begun('agent_comment_post') })
    expect(await result()).toMatchObject(commented)
    expect(waited).toEqual([])
  })

  it('a write that two looks do not show is repeated once', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => sees(0), () => sees(0)]
    tabs.runs = [() => commented]
    const { result, waited, store } = await runnerOn(tabs, { store: begun('agent_comment_post'), clock: () => start + 10_000 })
    await result()
    expect(waited).toEqual([20_000])
    expect(store.items['task:t1']).toMatchObject({ state: 'done', again: true, output: commented.output })
  })

  it.each([
    ['a second crash', { again: true }, [sees(0)]],
    ['a page that cannot be read', {}, [sees(0), { error: { code: 'page_not_understood', message: '?', acted: false } } as LookAnswer]],
    ['a page that shows less than before', { witness: { count: 2 } }, [sees(1), sees(1)]],
  ])('%s leaves the outcome unknown', async (_, more, looks) => {
    const tabs = new FakeTabs()
    tabs.looks = looks.map(look => () => look)
    const { result } = await runnerOn(tabs, { store: begun('agent_comment_post', more) })
    expect(await result()).toMatchObject({ error: { code: 'outcome_unknown', acted: null } })
    expect(tabs.calls).not.toContain('run')
  })

  it.each([
    ['agent_comment_post', [sees(0), sees(0)]],
    ['agent_like_post', [done(false)]],
  ])('%s is not done again when the service has given it up', async (type, looks) => {
    const tabs = new FakeTabs()
    tabs.looks = looks.map(look => () => look)
    const { session, said, next, result } = await runnerOn(tabs, { store: begun(type), go: false })
    expect(await next('acting')).toMatchObject({ task: 't1', lease: 'l1' })
    await session.receive({ type: 'cancel', task: 't1' })
    expect(await result()).toMatchObject({ error: { code: 'outcome_unknown', acted: null } })
    expect(tabs.calls).not.toContain('run')
    expect(said.map(f => f.type)).not.toContain('released')
  })

  it('each try waits for its own go', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => sees(0), () => sees(0), () => sees(0)]
    tabs.runs = [() => lost, () => commented]
    const { session, said, result } = await runnerOn(tabs)
    await session.receive(handOut('agent_comment_post'))
    expect(await result()).toMatchObject(commented)
    expect(said.filter(f => f.type === 'acting')).toHaveLength(2)
  })

  it('a signed-out page proves nothing', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => ({ error: { code: 'signed_out', message: '', acted: false } }), () => sees(1)]
    const { result, accounts } = await runnerOn(tabs, { store: begun('agent_comment_post') })
    expect(await result()).toMatchObject(commented)
    expect(accounts.waits).toBe(2)
  })

  it('a page of another account proves nothing', async () => {
    const tabs = new FakeTabs()
    const other = { ...account, urn: 'urn:n:member:2', slug: 'bob' }
    tabs.looks = [() => ({ ...sees(0), account: other }), () => sees(1)]
    const { result, accounts } = await runnerOn(tabs, { store: begun('agent_comment_post') })
    expect(await result()).toMatchObject(commented)
    expect(accounts.seen[0]).toEqual(other)
    expect(tabs.calls).not.toContain('run')
  })

  it('the page alone decides a like', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => done(false), () => done(true)]
    tabs.runs = [() => lost]
    const { result } = await runnerOn(tabs, { store: begun('agent_like_post') })
    expect(await result()).toMatchObject({ output: { liked: true } })
  })

  it('a write in acting without go was not done', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => sees(0)]
    tabs.runs = [() => commented]
    const { begun: _, ...entry } = begun('agent_comment_post').items['task:t1'] as Record<string, unknown>
    const store = new MemoryStore()
    store.items = { 'task:t1': entry }
    const { result } = await runnerOn(tabs, { store })
    expect(await result()).toMatchObject(commented)
    expect(tabs.calls).toEqual(['look', 'run', 'close'])
  })

  it('an outcome that starts the worker is handled at once', async () => {
    const store = begun('agent_comment_post')
    const { session } = await open(store)
    const runner = new Runner(session, new FakeTabs(), new FakeAccounts())
    await runner.adopt({ type: 'outcome', task: 't1', run: 'r', parts: 0, ...commented })
    expect(store.items['task:t1']).toMatchObject({ state: 'done', output: commented.output })
    await runner.adopt({ type: 'outcome', task: 'other', run: 'r', parts: 0, output: {} })
  })
})

describe('a write in the name of a member who works as another account', () => {
  const bound = { urn: 'urn:n:member:2', slug: 'jan', name: 'Jan', signed_in: false }
  const status = (member: Account) => ({ type: 'status' as const, account: member, blocked: [], waiting: 0, allowances: [] })

  it('is returned when the page shows another account', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => done(false)]
    const { session, next } = await runnerOn(tabs)
    await session.receive(status(bound))
    await session.receive(handOut('agent_like_post'))
    expect(await next('released')).toMatchObject({ reason: 'account' })
    expect(tabs.calls).not.toContain('run')
  })

  it('is returned when the account changes between acting and go', async () => {
    const tabs = new FakeTabs()
    tabs.looks = [() => done(false)]
    const { session, next } = await runnerOn(tabs)
    await session.receive(status({ ...account, urn: account.urn.toUpperCase() }))
    await session.receive(handOut('agent_like_post'))
    await next('acting')
    await session.receive(status(bound))
    await session.receive({ type: 'go', task: 't1', lease: 'l1' })
    expect(await next('released')).toMatchObject({ reason: 'account' })
    expect(tabs.calls).not.toContain('run')
  })
})
