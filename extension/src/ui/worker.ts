import type { Failure, FromUI, State } from '../shared/state'
import { t } from './i18n'

/** Sends a message to the worker and returns the worker's state. */
export const tell = (message: FromUI): Promise<State | Failure | undefined> => chrome.runtime.sendMessage(message)

/** Calls show with the worker's state now, after each change, and as time passes. */
export function follow(show: (state: State | Failure | undefined) => void): void {
  const refresh = () => void tell({ type: 'state' }).then(show, (failure: unknown) => show({ failed: String(failure) }))
  chrome.runtime.onMessage.addListener(message => {
    if ((message as { type?: string }).type === 'changed') refresh()
  })
  setInterval(refresh, 30_000)
  refresh()
}

/** The element for a selector, which the page must have. */
export const $ = <T extends HTMLElement = HTMLElement>(selector: string): T => document.querySelector<T>(selector)!

/** The input or select with an id. */
export const field = (id: string): HTMLInputElement => $<HTMLInputElement>(`#${id}`)

/** Creates an element with a class and text. */
export function element(name: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

/** Asks the member in a dialog; true when they agree. */
export function ask(question: string, agree: string): Promise<boolean> {
  const dialog = document.createElement('dialog')
  const yes = element('button', 'danger agree', agree), no = element('button', '', t('do_cancel'))
  const actions = element('p', 'actions')
  actions.append(yes, no)
  dialog.append(element('p', '', question), actions)
  document.body.append(dialog)
  dialog.showModal()
  return new Promise(resolve => {
    yes.addEventListener('click', () => dialog.close('yes'))
    no.addEventListener('click', () => dialog.close())
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'yes')
    })
  })
}
