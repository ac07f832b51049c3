import type { PauseFor } from '../shared/pace'
import type { Failure, State } from '../shared/state'
import { $, tell } from './worker'

/** Lets the member choose for how long to pause: #pause opens #pause-for. */
export function offerPauses(show: (state: State | Failure | undefined) => void): void {
  const opener = $('#pause'), choices = $('#pause-for')
  const open = (is: boolean) => {
    choices.hidden = !is
    opener.ariaExpanded = String(is)
  }
  open(false)
  opener.addEventListener('click', () => {
    open(choices.hidden)
    choices.querySelector('button')?.focus()
  })
  for (const one of choices.querySelectorAll('button')) {
    one.addEventListener('click', () => {
      open(false)
      void tell({ type: 'pause', on: true, how: one.value as PauseFor }).then(show)
    })
  }
}
