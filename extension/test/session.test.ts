import { describe, expect, it } from 'vitest'
import { handOut, MemoryStore, open, start } from './fakes'

const end = new AbortController().signal

describe('a handed-out task', () => {
  it('is journalled before it is accepted', async () => {
    const { session, said, store, welcome } = await open()
    welcome()
    await session.receive(handOut('agent_profile_fetch', { profile_slug: 'jane' }))
    expect(store.items['task:t1']).toMatchObject({ state: 'received', lease: 'l1', input: { profile_slug: 'jane' } })
    expect(said).toEqual([{ type: 'accepted', task: 't1', lease: 'l1' }])
    expect((await session.next(end)).entry.task).toBe('t1')
  })

  it('is returned when it cannot be journalled', async () => {
    const { session, said, store, welcome } = await open()
    welcome()
    store.full = true
    await session.receive(handOut('agent_profile_fetch'))
    expect(said).toEqual([{ type: 'released', task: 't1', lease: 'l1', reason: 'journal' }])
    expect(session.tasks.size).toBe(0)
  })

  it('is returned after its deadline by the service\'s clock, and while the browser is paused', async () => {
    const { session, said, welcome } = await open()
    welcome(start + 3600_000)
    await session.receive(handOut('agent_profile_fetch', {}, { deadline: new Date(start + 60_000).toISOString() }))
    session.closed = true
    await session.receive(handOut('agent_profile_fetch'))
    expect(said.map(f => 'reason' in f && f.reason)).toEqual(['deadline', 'paused'])
  })

  it('keeps its state when it is handed out again', async () => {
    const { session, said, store, welcome } = await open()
    welcome()
    await session.receive(handOut('agent_comment_post'))
    const task = await session.next(end)
    await session.put(task, { state: 'acting', witness: { count: 0 }, acting_at: start, begun: true })
    await session.receive(handOut('agent_comment_post', {}, { lease: 'l2', attempt: 2 }))
    expect(store.items['task:t1']).toMatchObject({ state: 'acting', begun: true, lease: 'l2', attempt: 2 })
    expect(said.at(-1)).toEqual({ type: 'accepted', task: 't1', lease: 'l2' })
    expect(task.signal.aborted).toBe(false)
  })

  it('restarts a running read', async () => {
    const { session, welcome } = await open()
    welcome()
    await session.receive(handOut('keyword_scan'))
    const task = await session.next(end)
    session.part(task, 0, [])
    await session.receive(handOut('keyword_scan', {}, { lease: 'l2', attempt: 2 }))
    expect(task.signal.aborted).toBe(true)
    session.requeue(task)
    const again = await session.next(end)
    expect(again.entry).toMatchObject({ lease: 'l2', attempt: 2 })
    expect(again.parts).toEqual([])
  })
})

describe('after a revocation', () => {
  it('only what the network may have seen stays', async () => {
    const { session, store, welcome } = await open()
    welcome()
    for (const [task, type] of [['read', 'agent_profile_fetch'], ['waits', 'agent_profile_fetch'], ['written', 'agent_comment_post']] as const) {
      await session.receive(handOut(type, {}, { task }))
    }
    await session.finish(session.tasks.get('read')!, { error: { code: 'challenge', message: 'm', acted: false } })
    await session.put(session.tasks.get('written')!, { state: 'acting', witness: { count: 0 }, acting_at: start, begun: true })
    await session.finish(session.tasks.get('written')!, { output: {} })
    await session.forgetUnbegun()
    expect(Object.keys(store.items).filter(key => key.startsWith('task:'))).toEqual(['task:written'])
  })
})

describe('a task that was dropped', () => {
  it('leaves nothing when it ends', async () => {
    const { session, said, store, welcome } = await open()
    welcome()
    await session.receive(handOut('agent_profile_fetch'))
    const task = await session.next(end)
    await session.forgetUnbegun()
    said.length = 0
    await session.finish(task, { output: {} })
    expect(said).toEqual([])
    expect(Object.keys(store.items).filter(key => key.startsWith('task:'))).toEqual([])
  })
})

describe('an unacknowledged report', () => {
  it('is repeated after each welcome', async () => {
    const { session, said, welcome } = await open()
    welcome()
    await session.receive(handOut('agent_profile_fetch'))
    await session.finish(await session.next(end), { output: { name: 'Jane' } })
    session.farewell()
    said.length = 0
    session.beat()
    expect(said).toEqual([])
    welcome()
    const result = { type: 'result', task: 't1', lease: 'l1', attempt: 1, output: { name: 'Jane' } }
    expect(said).toEqual([result])
    await session.receive({ type: 'ack', task: 't1' })
    welcome()
    expect(said).toEqual([result])
    expect(session.tasks.size).toBe(0)
  })

  it('survives the worker', async () => {
    const store = new MemoryStore()
    const first = await open(store)
    first.welcome()
    await first.session.receive(handOut('agent_profile_fetch'))
    await first.session.finish(await first.session.next(end), { error: { code: 'not_found', message: 'nobody', acted: false } })
    const second = await open(store)
    expect(second.session.hello('secret')).toMatchObject({ journal: store.items['journal'], tasks: [{ task: 't1', state: 'done' }] })
    second.welcome()
    expect(second.said).toMatchObject([{ type: 'result', error: { code: 'not_found' } }])
  })

  it('waits for the parts of a scan', async () => {
    const { session, said, welcome } = await open()
    welcome()
    await session.receive(handOut('keyword_scan'))
    const task = await session.next(end)
    session.part(task, 0, [])
    session.part(task, 1, [])
    let flushed = false
    const flush = task.flush().then(() => { flushed = true })
    await session.receive({ type: 'ack', task: 't1', seq: 1 })
    expect(flushed).toBe(false)
    welcome()
    expect(said.filter(f => f.type === 'part').map(f => f.seq)).toEqual([0, 1, 0])
    await session.receive({ type: 'ack', task: 't1', seq: 0 })
    await flush
  })
})

describe('cancel', () => {
  it('stops a task that has not begun', async () => {
    const { session, said, store, welcome } = await open()
    welcome()
    await session.receive(handOut('agent_comment_post'))
    const task = await session.next(end)
    await session.receive({ type: 'cancel', task: 't1' })
    expect(task.signal.aborted).toBe(true)
    expect(said.at(-1)).toMatchObject({ type: 'released', reason: 'cancelled' })
    expect(store.items).not.toHaveProperty('task:t1')
  })

  it('sends no report of a read that may have touched the network', async () => {
    const { session, said, store, welcome } = await open()
    welcome()
    await session.receive(handOut('agent_profile_fetch'))
    const task = await session.next(end)
    await session.receive({ type: 'cancel', task: 't1' })
    expect(task.signal.aborted).toBe(true)
    expect(said.map(f => f.type)).not.toContain('released')
    expect(store.items).not.toHaveProperty('task:t1')
  })

  it('does not stop a write that may have touched the network', async () => {
    const { session, store, welcome } = await open()
    welcome()
    await session.receive(handOut('agent_comment_post'))
    const task = await session.next(end)
    await session.put(task, { state: 'acting', witness: { count: 0 }, acting_at: start, begun: true })
    await session.receive({ type: 'cancel', task: 't1' })
    expect(task.signal.aborted).toBe(false)
    expect(store.items).toHaveProperty('task:t1')
  })
})

it('a hello of many tasks is small, and omits done ones first', async () => {
  const { session, welcome } = await open()
  welcome()
  for (let i = 0; i < 4; i++) await session.receive(handOut('agent_comment_post', {}, { task: `open${i}` }))
  for (let i = 0; i < 200; i++) {
    const entry = { task: `done${i}`, lease: 'l'.repeat(40), attempt: 1, task_type: 'keyword_scan', input: {}, state: 'done' as const, at: 0, account: 'u', output: {} }
    await session.journal.put(entry)
  }
  const hello = session.hello('secret')
  expect(JSON.stringify(hello).length).toBeLessThanOrEqual(8 << 10)
  expect(hello.tasks.slice(0, 4).map(t => t.state)).toEqual(['received', 'received', 'received', 'received'])
})

it('a journal skips unreadable entries', async () => {
  const store = new MemoryStore()
  store.items = { 'task:a': { task: 'a', state: 'acting' }, 'task:b': null, 'task:c': { task: 'x', state: 'received' }, 'journal': 'j' }
  const { session } = await open(store)
  expect(session.tasks.size).toBe(0)
  expect(session.hello('').journal).toBe('j')
})
