import type { FromUI, State } from '../shared/state'

/** Sends a message to the worker and returns the worker's state. */
export const tell = (message: FromUI): Promise<State> => chrome.runtime.sendMessage(message)

/** Calls show with the worker's state now and after each change. */
export function follow(show: (state: State) => void): void {
  const refresh = () => void tell({ type: 'state' }).then(show)
  chrome.runtime.onMessage.addListener(message => {
    if ((message as { type?: string }).type === 'changed') refresh()
  })
  refresh()
}

/** The element for a selector, which the page must have. */
export const $ = <T extends HTMLElement = HTMLElement>(selector: string): T => document.querySelector<T>(selector)!

/** Creates an element with a class and text. */
export function element(name: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}
