import { Fault } from '../shared/fault'
import type { InvitationInput } from '../shared/protocol'
import { fields } from './input'
import type { Write } from './task'

const output = { sent: true }

/**
 * agent_send_connection_request: whether an invitation is pending. Inviting a
 * connection or oneself is an error. An invitation accepted in the meantime was
 * sent too, but a page cannot show the difference.
 */
export const invitation: Write<InvitationInput> = {
  async look(input, pages) {
    const { relation, name, url } = await pages.profile(read(input).ref)
    switch (relation) {
      case 'pending': return { witness: { done: true }, output, target: { name, url } }
      case 'none': return { witness: { done: false }, output, target: { name, url } }
      case 'connected': throw new Fault('invalid_input', 'the member is a connection already')
      case 'self': throw new Fault('invalid_input', 'the account cannot invite itself')
    }
  },
  async act(input, pages) {
    await pages.doInvite(read(input).note)
    return output
  },
}

function read(input: unknown) {
  const { profile_urn: ref, note } = fields(input, { profile_urn: 'text', note: 'text' })
  return { ref, note }
}
