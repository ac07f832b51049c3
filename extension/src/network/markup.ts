// The reading layer of adapters. A Part is an element in which only these
// functions look: there is no first match, no default and no rest that stays
// unread. What does not fit is a Fault page_not_understood that names the mark.

import { Fault } from '../shared/fault'

declare const opaque: unique symbol

/** An element of a page, for the functions of this file. */
export interface Part { readonly [opaque]: true }

export const partOf = (element: Element): Part => element as unknown as Part
export const pageOf = (document: Document): Part => partOf(document.documentElement)

/** The element itself, for writes: fields to fill and buttons to press. */
export const controlOf = <E extends HTMLElement>(part: Part): E => part as unknown as E

const of = (part: Part) => part as unknown as HTMLElement

export const notUnderstood = (what: string): Fault => new Fault('page_not_understood', what)

/** Where a fault was met: an element by its name and most telling attribute. */
function place(part: Part): string {
  const { localName, attributes } = of(part)
  const telling = ['aria-label', 'class', 'role', 'id'].find(name => attributes.getNamedItem(name))
  return localName === 'html' ? 'the page' : telling ? `${localName}[${telling}="${of(part).getAttribute(telling)}"]` : localName
}

/** The elements with a mark, exactly that many. */
export function exactly(within: Part, mark: string, count: number): Part[] {
  const found = [...of(within).querySelectorAll(mark)]
  if (found.length !== count) throw notUnderstood(count === 1 && found.length === 0 ? `no ${mark} in ${place(within)}` : `${found.length} instead of ${count} ${mark} in ${place(within)}`)
  return found.map(partOf)
}

/** The one element with a mark. */
export const one = (within: Part, mark: string): Part => exactly(within, mark, 1)[0]!

/** The element with a mark, if there is one; two are a fault. */
export const maybe = (within: Part, mark: string): Part | undefined => of(within).querySelector(mark) ? one(within, mark) : undefined

/** Like maybe, for a mark that is shown by words. */
export function saying(within: Part, mark: string, words: string): Part | undefined {
  const found = [...of(within).querySelectorAll(mark)].filter(each => each.textContent === words)
  if (found.length > 1) throw notUnderstood(`${found.length} times “${words}” in ${place(within)}`)
  return found[0] && partOf(found[0])
}

/**
 * The children of a list: as many as the page states, and nothing else among
 * them but what the site itself calls an advert.
 */
export function entries(list: Part, mark: string, stated: number, advert?: string): Part[] {
  const children = [...of(list).children].filter(child => !advert || !child.matches(advert))
  const stray = children.find(child => !child.matches(mark))
  if (stray) throw notUnderstood(`${place(partOf(stray))} in ${place(list)}`)
  if (children.length !== stated) throw notUnderstood(`${children.length} of ${stated} ${mark} in ${place(list)}`)
  return children.map(partOf)
}

/** The values of a list of terms that has exactly these, in this order. */
export function terms(list: Part, ...names: string[]): Part[] {
  const children = [...of(list).children], wanted = names.flatMap(name => [name, undefined])
  const strays = children.length !== wanted.length || wanted.some((name, n) => children[n]!.localName !== (name ? 'dt' : 'dd') || name !== undefined && children[n]!.textContent !== name)
  if (strays) throw notUnderstood(`other terms than ${names.join(', ')}`)
  return children.filter((_, n) => n % 2 === 1).map(partOf)
}

/**
 * The text of an element, character for character. It is never empty, and no
 * other elements are in it, such as a button or a badge, than those that belong.
 */
export function text(part: Part, belongs: (inside: Part) => boolean = () => false): string {
  const stray = [...of(part).querySelectorAll('*')].find(each => !belongs(partOf(each)))
  if (stray) throw notUnderstood(`${place(partOf(stray))} in the text of ${place(part)}`)
  const found = of(part).textContent ?? ''
  if (!/\S/.test(found)) throw notUnderstood(`no text in ${place(part)}`)
  return found
}

/** The words of an element without those of the elements in it. */
const ownWords = (part: Part): string =>
  [...of(part).childNodes].filter(node => node.nodeType === 3).map(node => node.textContent ?? '').join(' ').replace(/\s+/g, ' ').trim()

/** A required attribute; it may be empty. */
export function attribute(part: Part, name: string): string {
  const value = of(part).getAttribute(name)
  if (value === null) throw notUnderstood(`${place(part)} without ${name}`)
  return value
}

/** A required, non-empty attribute. */
export function name(part: Part, attributeName: string): string {
  const value = attribute(part, attributeName)
  if (value === '') throw notUnderstood(`${place(part)} with an empty ${attributeName}`)
  return value
}

/** An attribute with one of a few values. */
export function word<W extends string>(part: Part, attributeName: string, words: readonly W[]): W {
  const value = attribute(part, attributeName) as W
  if (!words.includes(value)) throw notUnderstood(`${attributeName} is "${value}"`)
  return value
}

export const flag = (part: Part, attributeName: string): boolean => word(part, attributeName, ['true', 'false']) === 'true'

/** An attribute that is a whole number. */
export function count(part: Part, attributeName: string): number {
  const value = attribute(part, attributeName)
  if (!/^\d+$/.test(value)) throw notUnderstood(`${attributeName} is "${value}", which is no number`)
  return Number(value)
}

/** Two things that a page states twice. */
export function agree<T>(shown: T, stated: T, what: string): void {
  if (shown !== stated) throw notUnderstood(`${what}: "${String(shown)}" does not fit "${String(stated)}"`)
}

/** The moment of a time element, RFC 3339. */
export function moment(time: Part): string {
  const value = attribute(time, 'datetime')
  if (!/^\d{4}-\d\d-\d\dT/.test(value) || Number.isNaN(Date.parse(value))) throw notUnderstood(`"${value}" is no time`)
  return value
}

type Month = [year: number, month: number]
export interface Period { from: Month; to: Month; open: boolean }

/**
 * A span of time: two time elements with a dash, or one and the site's word for
 * an end that has not come. A missing month is 0, an open end [0, 0].
 */
export function period(span: Part, openWord: string): Period {
  const times = [...of(span).children].map(partOf)
  const open = ownWords(span) === `– ${openWord}`
  if (!open && ownWords(span) !== '–') throw notUnderstood(`"${of(span).textContent}" is no span of time`)
  if (times.length !== (open ? 1 : 2)) throw notUnderstood(`a span of ${times.length} times`)
  const months = times.map(time => {
    const found = /^(\d{1,4})(?:-(\d\d))?$/.exec(attribute(time, 'datetime'))
    if (!found) throw notUnderstood(`"${attribute(time, 'datetime')}" is no month`)
    return [Number(found[1]), Number(found[2] ?? 0)] as Month
  })
  const [from, to = [0, 0]] = months as [Month, Month?]
  if (!open && (from[0] > to[0] || from[0] === to[0] && to[1] > 0 && from[1] > to[1])) throw notUnderstood(`a span of time that ends in ${to[0]} and begins in ${from[0]}`)
  return { from, to, open }
}

/** The absolute URL of a path of the network; "" stays empty. */
export const absolute = (path: string): string => path.startsWith('/') ? location.origin + path : path

/** The absolute URL in an attribute, unescaped. */
export function address(part: Part, attributeName = 'href'): string {
  const value = name(part, attributeName)
  try {
    return absolute(decodeURI(value))
  } catch {
    return absolute(value)
  }
}
