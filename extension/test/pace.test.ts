import { expect, it } from 'vitest'
import { apart, pauseEnds, piledUp, stallMs } from '../src/shared/pace'
import { Consent } from '../src/worker/consent'
import { Journal, type Entry } from '../src/worker/journal'
import { Session } from '../src/worker/session'
import { StallSpacing } from '../src/worker/spacing'
import { Task } from '../src/worker/task'
import type { FromSession, Pace } from '../src/shared/protocol'
import { account, handOut, MemoryStore, start } from './fakes'

it('pauses for an hour, until the morning after a night, or for ever', () => {
  const at = (day: number, hour: number) => new Date(2030, 0, day, hour).getTime()
  expect(pauseEnds('hour', at(9, 15))).toBe(at(9, 16))
  expect(pauseEnds('tomorrow', at(9, 15))).toBe(at(10, 8))
  expect(pauseEnds('tomorrow', at(9, 23))).toBe(at(10, 8))
  expect(pauseEnds('tomorrow', at(10, 1))).toBe(at(10, 8))
  expect(pauseEnds('tomorrow', at(10, 7))).toBe(at(11, 8)) // not in an hour
  expect(pauseEnds('ever', at(9, 15))).toBeUndefined()
})

it('keeps apart what has piled up in a stall, and nothing else', () => {
  expect(piledUp(0, { waiting: 40, idleMs: 1000 })).toBe(0)
  expect(piledUp(0, { waiting: 40 })).toBe(0) // the first task of a new pairing
  expect(piledUp(0, { waiting: 40, idleMs: stallMs })).toBe(40)
  expect(piledUp(40, { waiting: 39, idleMs: 1000 })).toBe(39)
  expect(piledUp(3, { waiting: 12, slow: true })).toBe(12)
  expect([0, 0.5, 1].map(chance => apart(1, 0, chance))).toEqual([4000, 8000, 12_000])
  expect(apart(0, 0, 1)).toBe(0)
  expect(apart(5, 60_000, 1)).toBe(60_000) // the member's own pause is longer
})

it('notices a stall of a browser that was closed', async () => {
  const store = new MemoryStore(), task = new Task({ task: 't1' } as Entry)
  let now = start, waiting = 0
  const open = () => StallSpacing.open(store, () => 0, () => waiting, () => now, () => 0.5)
  const first = await open()
  waiting = 30
  first.begins()
  expect(first.ends(task)).toBe(0)
  now += 8 * 3600_000
  const later = await open()
  waiting = 2
  expect([1, 2, 3].map(() => {
    later.begins()
    const ms = later.ends(task)
    now += ms
    return ms
  })).toEqual([8000, 8000, 0])
})

it('keeps tasks apart behind one that was stuck', async () => {
  const task = new Task({ task: 't1' } as Entry), spacing = await StallSpacing.open(new MemoryStore(), () => 0, () => 5, () => start, () => 0)
  task.quiet = 20_000
  spacing.begins()
  expect(spacing.ends(task)).toBe(4000)
})

/** A session whose member has chosen a pace. */
async function asks(pace: Pace = { ask: true }, store = new MemoryStore()) {
  const said: FromSession[] = [], consent = await Consent.open(store)
  const session = new Session(await Journal.open(store), () => account, '1.0.0', () => {}, () => start, () => undefined, { pace: () => pace, consent })
  session.welcome({ type: 'welcome', server_time: new Date(start).toISOString() }, frame => said.push(frame))
  return { session, said, consent, store }
}

const comment = handOut('agent_comment_post', { social_urn: 'urn:n:post:7', comment_text: 'Well done' })

it('gives a write back to ask about it, and does it when the member allows it', async () => {
  const { session, said, consent } = await asks()
  await session.receive(comment)
  expect(said).toEqual([{ type: 'released', task: 't1', lease: 'l1', reason: 'asked' }])
  expect(consent.asked).toMatchObject([{ task: 't1', input: { comment_text: 'Well done' } }])
  expect(session.hello('secret')).toMatchObject({ pace: { ask: true }, asking: ['t1'] })
  await session.answer('t1', true)
  expect(said.at(-1)).toMatchObject({ type: 'heartbeat', pace: { ask: true } })
  expect(said.at(-1)).not.toHaveProperty('asking')
  await session.receive({ ...comment, lease: 'l2', attempt: 2 })
  expect(said.at(-1)).toEqual({ type: 'accepted', task: 't1', lease: 'l2' })
})

it('remembers questions and answers across a restart', async () => {
  const store = new MemoryStore(), first = await asks({ ask: true }, store)
  await first.session.receive(comment)
  await first.session.receive({ ...comment, task: 't2' })
  await first.session.answer('t2', true)
  const { session, said, consent } = await asks({ ask: true }, store)
  expect(consent.asked.map(entry => entry.task)).toEqual(['t1'])
  await session.receive({ ...comment, task: 't2', lease: 'l9' })
  expect(said.at(-1)).toEqual({ type: 'accepted', task: 't2', lease: 'l9' })
})

it('says that the member declines a write, each time that it comes', async () => {
  const { session, said } = await asks()
  await session.receive(comment)
  await session.answer('t1', false)
  expect(said.slice(1)).toMatchObject([{ type: 'released', task: 't1', lease: 'l1', reason: 'declined' }, { type: 'heartbeat' }])
  await session.answer('t1', true) // too late: the question is answered
  await session.receive({ ...comment, lease: 'l2' })
  expect(said.at(-1)).toEqual({ type: 'released', task: 't1', lease: 'l2', reason: 'declined' })
})

it('does not ask about reads, without the wish, or when the service ends the question', async () => {
  const { session, said, consent } = await asks()
  await session.receive(handOut('agent_profile_fetch'))
  expect(said).toEqual([{ type: 'accepted', task: 't1', lease: 'l1' }])
  await session.receive({ ...comment, task: 't2' })
  await session.receive({ type: 'cancel', task: 't2' })
  expect(consent.asked).toEqual([])
  const other = await asks({ pause_s: { from: 60, until: 180 } })
  await other.session.receive(comment)
  expect(other.said).toEqual([{ type: 'accepted', task: 't1', lease: 'l1' }])
})

it('forgets an answer with the end of its task', async () => {
  const { session, consent } = await asks()
  await session.receive(comment)
  await session.answer('t1', true)
  await session.receive({ ...comment, lease: 'l2' })
  const task = await session.next(new AbortController().signal)
  await session.finish(task, { output: {} })
  const entry = { ...task.entry }
  expect(await consent.on(entry)).toBe('asked')
})
