// What an element of the single-page site is recognised by. Class names change
// with each release and there are no data- attributes: roles, labels, the order
// of elements and addresses stay.

import { all, attribute, moment, notUnderstood, the } from '../network/markup'
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
  /** The texts of an element with numbers. */
  texts: (element: HTMLElement) => string[]
  post: string
  /** Headline and location of a person; industry and headquarters of a company. */
  facts: (section: HTMLElement) => HTMLElement[]
  /** Rows of a table of facts. */
  rows: string
  /** The attribute of a button that is on. */
  pressed: string
}

const textOf = (element: Element) => element.textContent ?? ''

export const marksOf: Record<Layout, Marks> = {
  a: {
    main: '#root > header:first-child + main:last-child', by: 'header', headline: 'p', post: 'article',
    activity: 'ul[aria-label="Activity"]', numbers: 'ul[aria-label="Numbers"]', texts: element => all(element.parentElement!, element.localName, 'li').map(textOf),
    facts: section => [...section.children].filter((one): one is HTMLElement => one.localName === 'p').slice(0, 2),
    rows: 'ul > li', pressed: 'aria-pressed',
  },
  b: {
    main: '#root > main:first-child', by: 'footer', headline: 'small', post: '[role="article"]',
    activity: 'p[role="note"]', numbers: 'p[role="note"]', texts: element => textOf(element).split(' · '),
    facts: section => all(section, 'dl', 'dd'), rows: 'tr', pressed: 'aria-checked',
  },
}

/** The layout of a page, undefined for an unknown one. */
export function layoutOf(page: Document): Layout | undefined {
  if (page.querySelector(marksOf.a.main)) return 'a'
  return page.querySelector(`${marksOf.b.main} + aside:last-child`) ? 'b' : undefined
}

/** A page of a known layout. */
export interface Shown {
  marks: Marks
  main: HTMLElement
  me: { urn: string; slug: string; name: string }
  /** The company pages that the member manages. */
  companies: { urn: string; slug: string; name: string }[]
}

export function shownOn(page: Document): Shown {
  const layout = layoutOf(page)
  if (!layout) throw notUnderstood('a page of no known layout')
  const marks = marksOf[layout]
  const account = the(page, '[role="group"][aria-label="Me"]')
  return {
    marks, main: the(page, marks.main), me: actorOf(account),
    companies: all(account, '[aria-label="My pages"]', 'li').map(actorOf),
  }
}

/** The actor that the first picture and link of an element show. */
const actorOf = (element: HTMLElement) => {
  const link = the(element, 'a')
  return { urn: urnOf(the(element, 'img')), slug: slugOf(link), name: textOf(link) }
}

/** The member or company of a picture: its address has the id. */
export function urnOf(image: HTMLElement): string {
  const found = /\/media\/(members|companies)\/(\d+)\.svg$/.exec(attribute(image, 'src'))
  if (!found) throw notUnderstood('a picture of nobody')
  return `urn:network:${found[1] === 'members' ? 'member' : 'company'}:${found[2]}`
}

/** The last part of a link's path. */
export function slugOf(link: HTMLElement): string {
  const slug = addressOf(link).pathname.split('/').at(-1) ?? ''
  if (slug === '') throw notUnderstood('a link to nothing')
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}

const addressOf = (element: HTMLElement, name = 'href') => new URL(attribute(element, name), location.href)

/** The absolute URL in an attribute, unescaped. */
export function urlOf(element: HTMLElement, name = 'href'): string {
  const { href } = addressOf(element, name)
  try {
    return decodeURI(href)
  } catch {
    return href
  }
}

/** The author that an element shows. */
export function authorOf(element: HTMLElement, marks: Marks) {
  const by = [...element.children].find((one): one is HTMLElement => one.localName === marks.by)
  const link = by && [...by.querySelectorAll('a')].find(one => !one.querySelector('time'))
  if (!by || !link) throw notUnderstood('nobody wrote it')
  const image = the(by, 'img')
  return { by, link, name: textOf(link), url: urlOf(link), urn: urnOf(image), image: urlOf(image, 'src'), headline: textOf(the(by, marks.headline)) }
}

/** A number with its unit, such as "1 234 likes". */
export function numberOf(text: string, unit: string): number | undefined {
  const found = /^([\d\u202f]+) (\S+)$/.exec(text)
  if (!found || found[2] !== unit && found[2] !== `${unit}s`) return undefined
  return Number(found[1]!.replaceAll('\u202f', ''))
}

/** The required number with that unit. */
export function countOf(texts: string[], unit: string): number {
  for (const text of texts) {
    const n = numberOf(text, unit)
    if (n !== undefined) return n
  }
  throw notUnderstood(`no number of ${unit}s`)
}

/** The one section with a label. */
export const section = (page: ParentNode, label: string): HTMLElement => the(page, `section[aria-label="${label}"]`)

/** The entries with a label; none only where the page says so with that text. */
export function entries(main: HTMLElement, label: string, none: string): HTMLElement[] {
  const found = main.querySelector(`[aria-label="${label}"]`)
  if (found) return [...found.children] as HTMLElement[]
  if (![...main.querySelectorAll('[role="status"]')].some(one => one.textContent === none)) throw notUnderstood(`neither ${label.toLowerCase()} nor that there are none`)
  return []
}

export { moment, textOf }
