// Strict readers of markup: a missing or unexpected element is a Fault
// page_not_understood, never an empty value.

import { Fault } from '../shared/fault'

export const notUnderstood = (what: string): Fault => new Fault('page_not_understood', what)

/** The one required element. */
export function the(within: ParentNode, selector: string): HTMLElement {
  const found = within.querySelector<HTMLElement>(selector)
  if (!found) throw notUnderstood(`no ${selector}`)
  return found
}

/** All elements of a kind within one required element. */
export const all = (within: ParentNode, list: string, items: string): HTMLElement[] =>
  [...the(within, list).querySelectorAll<HTMLElement>(items)]

/** The text of the one required element, character for character. */
export const text = (within: ParentNode, selector: string): string => the(within, selector).textContent ?? ''

/** A required attribute; it may be empty. */
export function attribute(element: Element, name: string): string {
  const value = element.getAttribute(name)
  if (value === null) throw notUnderstood(`${element.localName} without ${name}`)
  return value
}

/** A required, non-empty attribute. */
export function name(element: Element, attributeName: string): string {
  const value = attribute(element, attributeName)
  if (value === '') throw notUnderstood(`${element.localName} with an empty ${attributeName}`)
  return value
}

/** An attribute with one of a few values. */
export function word<W extends string>(element: Element, attributeName: string, words: readonly W[]): W {
  const value = attribute(element, attributeName) as W
  if (!words.includes(value)) throw notUnderstood(`${attributeName} is "${value}"`)
  return value
}

export const flag = (element: Element, attributeName: string): boolean => word(element, attributeName, ['true', 'false']) === 'true'

/** An attribute that is a whole number. */
export function count(element: Element, attributeName: string): number {
  const value = attribute(element, attributeName)
  if (!/^\d+$/.test(value)) throw notUnderstood(`${attributeName} is "${value}", which is no number`)
  return Number(value)
}

/** The number of a data element. */
export const counter = (within: ParentNode, selector: string): number => count(the(within, selector), 'value')

/** The moment of a time element, RFC 3339. */
export function moment(within: ParentNode, selector: string): string {
  const value = attribute(the(within, selector), 'datetime')
  if (!/^\d{4}-\d\d-\d\dT/.test(value) || Number.isNaN(Date.parse(value))) throw notUnderstood(`"${value}" is no time`)
  return value
}

/** Year and month of a time element; zero if missing. */
export function yearAndMonth(within: ParentNode, selector: string): [year: number, month: number] {
  const value = within.querySelector(selector)?.getAttribute('datetime')
  if (value === undefined || value === null) return [0, 0]
  const found = /^(\d{1,4})(?:-(\d\d))?$/.exec(value)
  if (!found) throw notUnderstood(`"${value}" is no month`)
  return [Number(found[1]), Number(found[2] ?? 0)]
}

/** The absolute URL of a path of the network; "" stays empty. */
export const absolute = (path: string): string => path.startsWith('/') ? location.origin + path : path

/** The absolute URL in an attribute, unescaped. */
export function address(element: Element, attributeName = 'href'): string {
  const value = attribute(element, attributeName)
  try {
    return absolute(decodeURI(value))
  } catch {
    return absolute(value)
  }
}
