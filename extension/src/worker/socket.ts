import { CLOSE_REPLACED, CLOSE_UNAUTHORISED } from '../shared/protocol'
import type { End, Transport } from './transport'

/** The code of a connection that ended without a close frame. */
const CLOSE_NONE = 1006

/** Exchanges frames over a WebSocket. */
export const openSocket: Transport = (service, hello, take) => {
  const socket = new WebSocket(service.replace(/^http/, 'ws') + '/extension/socket')
  let stuck = 0
  let close = () => {}
  const ended = new Promise<End>(resolve => {
    let closing = false
    socket.onopen = () => socket.send(JSON.stringify(hello))
    socket.onmessage = ({ data }) => {
      try {
        void take(JSON.parse(String(data)))
      } catch { /* an invalid frame is ignored like an unknown one */ }
    }
    socket.onclose = ({ code }) =>
      resolve(closing ? 'closed' : code === CLOSE_UNAUTHORISED ? 'revoked' : code === CLOSE_REPLACED ? 'replaced' : code === CLOSE_NONE ? 'cut' : 'lost')
    close = () => {
      closing = true
      socket.close(1000)
      resolve('closed') // closing a dead connection would take long
    }
  })
  return {
    ended,
    send(frame) {
      if (socket.readyState !== WebSocket.OPEN) return
      // A frame from two heartbeats ago is still unsent: the connection is
      // dead.
      if (frame.type === 'heartbeat') stuck = socket.bufferedAmount > 0 ? stuck + 1 : 0
      if (stuck >= 2) socket.close()
      else socket.send(JSON.stringify(frame))
    },
    close: () => close(),
  }
}
