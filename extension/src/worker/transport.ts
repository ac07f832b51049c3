import type { FromSession, Hello } from '../shared/protocol'

/** How a connection ended. */
export type End =
  | 'lost' // reconnect
  | 'cut' // lost, without a word of the service
  | 'revoked' // the token is unknown
  | 'replaced' // a newer connection of the same session took over
  | 'closed' // by this side

/** A connection after hello. */
export interface Connection {
  send(frame: FromSession): void
  close(): void
  readonly ended: Promise<End>
}

/**
 * One way to exchange frames. It passes received JSON values to take, in
 * order, which checks them; take's promise resolves when the frame is handled.
 */
export type Transport = (service: string, hello: Hello, take: (frame: unknown) => Promise<void>) => Connection
