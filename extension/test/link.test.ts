import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FromService, FromSession, Hello } from '../src/shared/protocol'
import { Link, periods, type LinkHandler } from '../src/worker/link'
import type { Connection, End } from '../src/worker/transport'
import { openPoll } from '../src/worker/poll'
import { openSocket } from '../src/worker/socket'

const hello: Hello = { type: 'hello', v: 1, token: 'secret', boot: 'b', journal: 'j', version: '1', account: { urn: '', slug: '', name: '', signed_in: false }, tasks: [] }

/** A service whose frames a test sends. */
function service() {
  const opened: { by: string; take: (f: FromService) => Promise<void>; end: (e: End) => void; sent: FromSession[] }[] = []
  const transport = (by: string) => (_: string, __: Hello, take: (f: unknown) => Promise<void>): Connection => {
    const sent: FromSession[] = []
    let end!: (e: End) => void
    const ended = new Promise<End>(resolve => { end = resolve })
    opened.push({ by, take, end, sent })
    return { ended, send: f => { sent.push(f) }, close: () => end('closed') }
  }
  const heard: FromService[] = [], over: string[] = [], waits: number[] = []
  const counts = { ticks: 0, beats: 0, tasks: 0 }
  let target: { service: string; token: string } | undefined = { service: 'http://service.test', token: 'secret' }
  const handler: LinkHandler = {
    target: () => target, hello: () => hello, welcome: (_, say) => say({ type: 'heartbeat', account: hello.account, running: [] }),
    receive: async f => { heard.push(f) }, farewell: () => {}, changed: () => {},
    tick: () => { counts.ticks++ }, busy: () => counts.tasks > 0, beat: () => { counts.beats++ },
    over: async end => { over.push(end); target = undefined },
  }
  const link = new Link(handler, { socket: transport('socket'), poll: transport('poll') }, async ms => { waits.push(ms) }, () => 1)
  const nth = async (n: number) => {
    await vi.waitFor(() => expect(opened.length).toBeGreaterThanOrEqual(n))
    return opened[n - 1]!
  }
  return { link, nth, opened, heard, over, waits, counts, quit: () => { target = undefined; link.renew() } }
}

describe('the link', () => {
  it('sends frames after welcome, and passes received ones on in order', async () => {
    const s = service()
    s.link.ensure()
    s.link.ensure()
    const first = await s.nth(1)
    await first.take({ type: 'go', task: 'early', lease: '' })
    await first.take({ type: 'welcome' })
    expect(s.link.transport).toBe('socket')
    expect(first.sent).toHaveLength(1)
    await first.take({ type: 'ack', task: 'a' })
    await first.take({ type: 'cancel', task: 'b' })
    expect(s.heard.map(f => f.type)).toEqual(['ack', 'cancel'])
    expect(s.opened).toHaveLength(1)
    s.quit()
  })

  it.each(['lost', 'cut'] as const)('uses long poll after three that are %s, with growing pauses, and tries the socket again', async how => {
    const s = service()
    s.link.ensure()
    for (let n = 1; n <= periods.socketTries; n++) (await s.nth(n)).end(how)
    const poll = await s.nth(4)
    expect(s.link.lostAt).toBeDefined()
    expect(poll.by).toBe('poll')
    expect(s.waits).toEqual([1000, 2000, 4000])
    await poll.take({ type: 'welcome' })
    expect(s.link.transport).toBe('poll')
    poll.end('closed') // the poll has timed out
    expect((await s.nth(5)).by).toBe('socket')
    ;(await s.nth(5)).end('lost')
    expect((await s.nth(6)).by).toBe('poll')
    s.quit()
  })

  it('never waits more than half a minute', async () => {
    const s = service()
    s.link.ensure()
    for (let n = 1; n <= 9; n++) (await s.nth(n)).end('lost')
    await s.nth(10)
    expect(Math.max(...s.waits)).toBe(periods.maxBackoffMs)
    s.quit()
  })

  it.each(['revoked', 'replaced'] as const)('ends when the session is %s', async how => {
    const s = service()
    s.link.ensure()
    ;(await s.nth(1)).end(how)
    await vi.waitFor(() => expect(s.over).toEqual([how]))
    s.link.ensure()
    expect(s.opened).toHaveLength(1)
  })

  it('ends as revoked after that frame, regardless of the close code', async () => {
    const s = service()
    s.link.ensure()
    const first = await s.nth(1)
    await first.take({ type: 'welcome' })
    await first.take({ type: 'revoked' })
    first.end('lost')
    await vi.waitFor(() => expect(s.over).toEqual(['revoked']))
  })
})

describe('heartbeats', () => {
  beforeEach(() => { vi.useFakeTimers() })
  afterEach(() => { vi.useRealTimers() })

  const status = (heartbeat_s?: number): FromService => ({ type: 'status', blocked: [], waiting: 0, allowances: [], ...heartbeat_s !== undefined && { heartbeat_s } })
  /** How many there are in that many seconds. */
  async function beatsIn(s: ReturnType<typeof service>, seconds: number): Promise<number> {
    const before = s.counts.beats
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    return s.counts.beats - before
  }

  it('come every 20 seconds, and in the interval of welcome and status', async () => {
    const s = service()
    s.link.ensure()
    const { take } = s.opened[0]!
    await take({ type: 'welcome' })
    expect(await beatsIn(s, 120)).toBe(6)
    await take(status(120))
    await take(status())
    expect(await beatsIn(s, 119)).toBe(0)
    expect(await beatsIn(s, 1)).toBe(1)
    expect(s.counts.ticks).toBe(12) // they keep the worker alive
    await take(status(50))
    expect(await beatsIn(s, 120)).toBe(3)
    await take(status(20))
    expect(await beatsIn(s, 120)).toBe(6)
    s.quit()
  })

  it('obey a welcome', async () => {
    const s = service()
    s.link.ensure()
    await s.opened[0]!.take({ type: 'welcome', heartbeat_s: 120 })
    expect(await beatsIn(s, 240)).toBe(2)
    s.quit()
  })

  it('come every 20 seconds while there are tasks', async () => {
    const s = service()
    s.link.ensure()
    await s.opened[0]!.take({ type: 'welcome', heartbeat_s: 120 })
    expect(await beatsIn(s, 50)).toBe(0)
    s.counts.tasks = 1
    expect(await beatsIn(s, 10)).toBe(1)
    expect(await beatsIn(s, 60)).toBe(3)
    s.counts.tasks = 0
    expect(await beatsIn(s, 119)).toBe(0)
    expect(await beatsIn(s, 1)).toBe(1)
    s.quit()
  })

  it('come more often after a proxy has cut an idle connection', async () => {
    const s = service()
    s.link.ensure()
    await s.opened[0]!.take({ type: 'welcome', heartbeat_s: 120 })
    await vi.advanceTimersByTimeAsync(70_000)
    s.opened[0]!.end('cut')
    await (await s.nth(2)).take({ type: 'welcome', heartbeat_s: 120 })
    expect(await beatsIn(s, 180)).toBe(3)
    s.quit()
  })

  it.each(['a word of the service', 'a cut after longer waits'] as const)('keep their interval after %s', async why => {
    const s = service()
    s.link.ensure()
    await s.opened[0]!.take({ type: 'welcome', heartbeat_s: 120 })
    if (why === 'a cut after longer waits') await vi.advanceTimersByTimeAsync(120_000)
    await vi.advanceTimersByTimeAsync(70_000)
    s.opened[0]!.end(why === 'a word of the service' ? 'lost' : 'cut')
    await (await s.nth(2)).take({ type: 'welcome', heartbeat_s: 120 })
    expect(await beatsIn(s, 119)).toBe(0)
    s.quit()
  })
})

describe('the socket', () => {
  afterEach(() => { vi.unstubAllGlobals() })

  it.each([[1006, 'cut'], [1001, 'lost'], [1013, 'lost'], [4401, 'revoked'], [4408, 'replaced']] as const)('ends with code %i as %s', async (code, how) => {
    let socket: { onclose?: (event: { code: number }) => void } = {}
    vi.stubGlobal('WebSocket', function () { return socket = {} })
    const { ended } = openSocket('http://service.test', hello, async () => {})
    socket.onclose?.({ code })
    expect(await ended).toBe(how)
  })
})

describe('the long poll', () => {
  afterEach(() => { vi.unstubAllGlobals() })

  /** Polls that a test answers. */
  function polls() {
    const held: { messages: FromSession[]; headers: Record<string, string>; answer: (status: number, messages: FromService[]) => void }[] = []
    vi.stubGlobal('fetch', (_: string, init: { body: string; headers: Record<string, string> }) => new Promise<Response>(resolve => {
      held.push({
        ...JSON.parse(init.body) as { messages: FromSession[] }, headers: init.headers,
        answer: (status, messages) => resolve(new Response(JSON.stringify({ messages }), { status })),
      })
    }))
    const nth = async (n: number) => {
      await vi.waitFor(() => expect(held.length).toBeGreaterThanOrEqual(n))
      return held[n - 1]!
    }
    return { held, nth }
  }

  it('begins with hello, sends its token in a header only, and keeps a poll held', async () => {
    const { held, nth } = polls()
    const heard: unknown[] = []
    const c = openPoll('http://service.test', hello, async f => { heard.push(f) })
    const first = await nth(1)
    expect(first.messages).toEqual([{ ...hello, token: '' }])
    expect(first.headers['authorization']).toBe('Bearer secret')
    first.answer(200, [{ type: 'welcome' }])
    await nth(2)
    expect(heard).toEqual([{ type: 'welcome' }])
    c.send({ type: 'accepted', task: 't', lease: 'l' })
    expect((await nth(3)).messages).toEqual([{ type: 'accepted', task: 't', lease: 'l' }])
    c.send({ type: 'accepted', task: 'u', lease: 'l' }) // two polls are out: it waits
    expect(held).toHaveLength(3)
    held[1]!.answer(200, [])
    expect((await nth(4)).messages).toHaveLength(1)
    c.close()
    expect(await c.ended).toBe('closed')
  })

  it('sends no poll past one that is answered at once', async () => {
    const { held, nth } = polls()
    const c = openPoll('http://service.test', hello, async () => {})
    ;(await nth(1)).answer(200, [{ type: 'welcome' }])
    await nth(2)
    c.send({ type: 'part', task: 't', lease: 'l', attempt: 1, seq: 0, output: { posts: [] } })
    c.send({ type: 'part', task: 't', lease: 'l', attempt: 1, seq: 1, output: { posts: [] } })
    expect((await nth(3)).messages).toHaveLength(1)
    held[1]!.answer(200, [])
    held[2]!.answer(200, [])
    expect((await nth(4)).messages).toMatchObject([{ seq: 1 }])
    c.close()
  })

  it.each([[401, 'revoked'], [409, 'lost'], [503, 'lost']] as const)('ends on %i as %s', async (status, how) => {
    const { nth } = polls()
    const c = openPoll('http://service.test', hello, async () => {})
    ;(await nth(1)).answer(status, [])
    expect(await c.ended).toBe(how)
  })
})
