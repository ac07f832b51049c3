import { MAX_FRAME, POLL_MS, type FromSession } from '../shared/protocol'
import type { End, Transport } from './transport'

/** Bounds the size of one poll. */
const maxBody = MAX_FRAME - 1024
/** Bounds the duration of one poll, which the service holds for POLL_MS. */
const pollMs = POLL_MS + 20_000

/**
 * Exchanges frames by long poll. While a poll is held, frames to send go out on a
 * second one; the service then ends the first. Two polls may overtake each other
 * on their way. So while a poll is out with frames that the service answers at
 * once, the next waits for that answer, and parts and results arrive in order.
 * Received frames are handled before the next poll leaves, because the service
 * takes that poll as their acknowledgement.
 */
export const openPoll: Transport = (service, hello, take) => {
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
      const reply = await response.json() as { messages?: unknown[] | null }
      await Promise.all((reply.messages ?? []).map(take))
    } catch {
      return end('lost')
    }
    held--
    if (answered) urgent--
    pump()
  }
  /** Starts polls while one is needed. */
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

/** Whether the service answers a frame at once. */
const answeredAtOnce = ({ type }: FromSession): boolean => type === 'hello' || type === 'acting' || type === 'part' || type === 'result'

/** Takes frames up to a total size, but at least one if any is queued. */
function takeUpTo(frames: FromSession[], limit: number): FromSession[] {
  let n = 0
  for (let size = 0; n < frames.length; n++) {
    size += new TextEncoder().encode(JSON.stringify(frames[n])).length + 1
    if (n > 0 && size > limit) break
  }
  return frames.splice(0, n)
}
