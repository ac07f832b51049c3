// What an element of the single-page site is recognised by. Class names change
// with each release and there are no data- attributes: roles, labels, titles,
// addresses, numbers and kinds of elements stay.

import { agree, attribute, entries, maybe, notUnderstood, one, pageOf, terms, text, type Part } from '../network/markup'
import type { Layout } from './addresses'

/** The marks in which the layouts differ. */
export interface Marks {
  /** The element around the contents; only this layout has it at that place. */
  main: string
  /** Element of an author, within a post, comment, message or person. */
  by: string
  headline: string
  /** Elements with numbers of a post, and of a person or company. */
  activity: string
  numbers: string
  /** The texts of an element with that many numbers. */
  texts: (element: Part, count: number) => string[]
  post: string
  /** An entry of a list of members, comments or messages. */
  item: string
  /** The facts with these names of a person or company. */
  facts: (section: Part, ...names: string[]) => string[]
  /** Rows of a table of facts. */
  rows: string
  /** The attribute that says whether a button is on. */
  pressed: string
}

export const marksOf: Record<Layout, Marks> = {
  a: {
    main: '#root > header:first-child + main:last-child', by: ':scope > header', headline: ':scope > p', post: 'article', item: 'li',
    activity: ':scope > ul[aria-label="Activity"]', numbers: ':scope > ul[aria-label="Numbers"]', texts: (element, count) => entries(element, 'li', count).map(one => text(one)),
    facts: (section, ...names) => names.map(name => text(one(section, `:scope > p[title="${name}"]`))),
    rows: 'ul > li', pressed: 'aria-pressed',
  },
  b: {
    main: '#root > main:first-child', by: ':scope > footer', headline: ':scope > small', post: '[role="article"]', item: '[role="listitem"]',
    activity: ':scope > p[role="note"]', numbers: ':scope > p[role="note"]', texts: element => text(element).split(' · '),
    facts: (section, ...names) => terms(one(section, ':scope > dl'), ...names).map(one => text(one)),
    rows: 'tr', pressed: 'aria-checked',
  },
}

/** The layout of a page, undefined for an unknown one. */
export function layoutOf(page: Document): Layout | undefined {
  if (maybe(pageOf(page), marksOf.a.main)) return 'a'
  return maybe(pageOf(page), `${marksOf.b.main} + aside:last-child`) ? 'b' : undefined
}

/** A page of a known layout. */
export interface Shown {
  marks: Marks
  main: Part
  me: { urn: string; slug: string; name: string }
  /** The company pages that the member manages. */
  companies: { urn: string; slug: string; name: string }[]
}

export function shownOn(document: Document): Shown {
  const layout = layoutOf(document)
  if (!layout) throw notUnderstood('a page of no known layout')
  const marks = marksOf[layout], page = pageOf(document)
  const account = one(page, '#root [role="group"][aria-label="Me"]'), pages = one(account, ':scope > ul')
  return {
    marks, main: one(page, marks.main), me: actorOf(account),
    companies: entries(pages, 'li', stated(attribute(pages, 'aria-label'), 'My pages').shown).map(actorOf),
  }
}

/** The actor of the picture and link in an element. */
const actorOf = (element: Part) => {
  const link = one(element, ':scope > a')
  return { urn: urnOf(one(element, ':scope > img')), slug: slugOf(link), name: text(link) }
}

/** The member or company of a picture: its address has the id. */
export function urnOf(image: Part): string {
  const found = /\/media\/(members|companies)\/(\d+)\.svg$/.exec(attribute(image, 'src'))
  if (!found) throw notUnderstood('a picture of nobody')
  return `urn:network:${found[1] === 'members' ? 'member' : 'company'}:${found[2]}`
}

/** The last part of a link's path. */
export function slugOf(link: Part): string {
  const slug = addressOf(link).pathname.split('/').at(-1) ?? ''
  if (slug === '') throw notUnderstood('a link to nothing')
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}

export const addressOf = (part: Part, name = 'href') => new URL(attribute(part, name), location.href)

/** The absolute URL in an attribute, unescaped. */
export function urlOf(part: Part, name = 'href'): string {
  const { href } = addressOf(part, name)
  try {
    return decodeURI(href)
  } catch {
    return href
  }
}

/** The author that an element shows. */
export function authorOf(element: Part, marks: Marks) {
  const by = one(element, marks.by)
  const link = one(by, ':scope > a:not(:has(time))'), image = one(by, ':scope > img')
  return { by, link, name: text(link), url: urlOf(link), urn: urnOf(image), image: urlOf(image, 'src') }
}

/** A number with its unit, such as "1 234 likes"; some units have another plural. */
export function numberOf(words: string, unit: string, many = `${unit}s`): number | undefined {
  const found = /^(\d{1,3}(?:\u202f\d{3})*) (\S+)$/.exec(words)
  return found && (found[2] === unit || found[2] === many) ? Number(found[1]!.replaceAll('\u202f', '')) : undefined
}

/** The numbers with these units, all that an element has. */
export function countsOf(element: Part, { texts }: Marks, ...units: string[]): number[] {
  const found = texts(element, units.length)
  agree(found.length, units.length, 'the number of numbers')
  return units.map((unit, n) => {
    const count = numberOf(found[n]!, unit)
    if (count === undefined) throw notUnderstood(`"${found[n]}" is no number of ${unit}s`)
    return count
  })
}

/** The one section with a label. */
export const section = (main: Part, label: string): Part => one(main, `:scope > section[aria-label="${label}"]`)

/** The numbers in a label such as "Skills (8)" or "Comments (5 of 12)". */
export function stated(words: string, label: string): { shown: number; total: number } {
  const found = /^(\D+) \((\d+)(?: of (\d+))?\)$/.exec(words)
  if (found?.[1] !== label) throw notUnderstood(`"${words}" instead of ${label} with a number`)
  return { shown: Number(found[2]), total: Number(found[3] ?? found[2]) }
}

/** The entries with a label, as many as stated; none only where the page says so with that text. */
export function items({ main, marks }: Shown, label: string, count: number, none: string): Part[] {
  if (count > 0) return entries(one(main, `:scope > [aria-label="${label}"]`), marks.item, count)
  const words = text(one(main, ':scope > p[role="status"]'))
  if (words !== none) throw notUnderstood(`neither ${label.toLowerCase()} nor that there are none`)
  return []
}
