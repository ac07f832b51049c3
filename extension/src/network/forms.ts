// Writes on the open page through its forms. The site's own code makes the
// request and shows the result in #notice.

import { Fault } from '../shared/fault'
import { refusal, stateFault } from './states'
import { agree, controlOf, notUnderstood, one, pageOf, type Part } from './markup'

/** Types into a field of the page, or chooses from it, as a person would. */
export function fill(part: Part, value: string): void {
  const field = controlOf<HTMLTextAreaElement | HTMLSelectElement>(part)
  field.focus()
  field.value = value
  if (field.localName === 'select') agree(field.value, value, 'a choice')
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.dispatchEvent(new Event('change', { bubbles: true }))
}

/**
 * Clicks the button of a form and waits until the page shows the result of the
 * write. Returns the URN of the created object, or "". A Fault with sure: false
 * means that the page does not know the outcome.
 */
export async function submit(part: Part): Promise<string> {
  const form = controlOf<HTMLFormElement>(part), button = controlOf<HTMLButtonElement>(one(part, 'button'))
  if (button.disabled) throw notUnderstood('a form that cannot be sent')
  if (!form.checkValidity()) throw new Fault('invalid_input', 'the page refuses the input')
  const notice = controlOf(one(pageOf(document), '#notice'))
  const { outcome, kind, reason, action, resetsAt, urn } = await new Promise<DOMStringMap>(resolve => {
    const watch = new MutationObserver(() => {
      if (!notice.dataset['outcome']) return
      watch.disconnect()
      resolve({ ...notice.dataset })
    })
    watch.observe(notice, { attributes: true })
    button.click()
  })
  switch (outcome) {
    case 'done': return urn ?? ''
    case 'refused': throw kind === 'refused' ? refusal(reason ?? '') : stateFault(kind ?? '', { reason, action, resetsAt }) ?? notUnderstood(`a write was answered by "${kind}"`)
    default: throw new Fault('timeout', 'the network gave no clear answer to the write', false)
  }
}
