import { MAX_FRAME, POLL_MS, type FromService, type FromSession } from '../shared/protocol'
import type { Carrier, End } from './link'

/** Bounds what one poll carries. */
const maxBody = MAX_FRAME - 1024
/** Bounds one poll, which the service holds for POLL_MS. */
const pollMs = POLL_MS + 20_000

/**
 * Exchanges frames by long poll. While a poll is held and there is something to
 * say, a second one carries it; the service then ends the first. But two polls
 * may overtake each other on their way: while one is out with something that
 * the service answers at once, the next waits for that answer, so that parts
 * and results arrive in their order. What comes is handled before the next poll
 * leaves, which is for the service the sign that it has arrived.
 */
export const openPoll: Carrier = (service, hello, take) => {
  const token = hello.token
  const control = new AbortController()
  const waiting: FromSession[] = [{ ...hello, token: '' }]
  let held = 0, urgent = 0
  let ended: (end: End) => void
  const result = new Promise<End>(resolve => { ended = resolve })
  const end = (how: End) => {
    ended(how)
    control.abort()
  }

  async function poll(): Promise<void> {
    const messages = takeUpTo(waiting, maxBody)
    const answered = messages.some(answeredAtOnce)
    held++
    if (answered) urgent++
    try {
      const response = await fetch(service + '/extension/poll', {
        method: 'POST', body: JSON.stringify({ messages }), credentials: 'omit', cache: 'no-store',
        headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
        signal: AbortSignal.any([control.signal, AbortSignal.timeout(pollMs)]),
      })
      if (response.status === 401) return end('revoked')
      if (!response.ok) return end('lost')
      const reply = await response.json() as { messages?: FromService[] | null }
      await Promise.all((reply.messages ?? []).map(take))
    } catch {
      return end('lost')
    }
    held--
    if (answered) urgent--
    pump()
  }
  /** Begins the polls that there is reason for. */
  function pump(): void {
    while (!control.signal.aborted && (held === 0 || waiting.length > 0 && held < 2 && urgent === 0)) void poll()
  }

  pump()
  return {
    ended: result,
    send(frame) {
      waiting.push(frame)
      pump()
    },
    close: () => end('closed'),
  }
}

/** Has the service something to say to a frame? */
const answeredAtOnce = ({ type }: FromSession): boolean => type === 'hello' || type === 'acting' || type === 'part' || type === 'result'

/** Takes frames of together at most so many bytes, but at least one when there is one. */
function takeUpTo(frames: FromSession[], limit: number): FromSession[] {
  let n = 0
  for (let size = 0; n < frames.length; n++) {
    size += new TextEncoder().encode(JSON.stringify(frames[n])).length + 1
    if (n > 0 && size > limit) break
  }
  return frames.splice(0, n)
}
