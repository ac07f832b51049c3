import { Fault } from '../shared/fault'
import type { MessageInput } from '../shared/protocol'
import { lines } from './comment'
import { fields, required } from './input'
import type { Write } from './task'

const output = { sent: true }

/** agent_send_message: the number of own messages in the thread with the text. */
export const message: Write<MessageInput> = {
  async look(input, pages) {
    const { ref, text } = read(input)
    const { canMessage, messages, person } = await pages.thread(ref)
    if (!canMessage) throw new Fault('not_connected', 'the member is no connection of the account')
    return { witness: { count: messages.filter(shown => shown.mine && lines(shown.text) === lines(text)).length }, output, target: person }
  },
  async act(input, pages) {
    await pages.doMessage(read(input).text)
    return output
  },
}

function read(input: unknown) {
  const { recipient_urn: ref, message: text } = fields(input, { recipient_urn: 'text', message: 'text' })
  return { ref, text: required(text, 'message') }
}
