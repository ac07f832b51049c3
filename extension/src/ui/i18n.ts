// The texts, in the language of the browser: src/locales.

/** The text for a key, with its parts filled in. */
export const t = (key: string, ...parts: (string | number)[]): string => message(key, parts.map(part => isolated(String(part)))) || key

const message = (key: string, parts: string[] = []): string => chrome.i18n.getMessage(key, parts)

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/

/** A part that keeps its own direction, and leaves that of the text around it. */
const isolated = (part: string): string => message('dir') === 'rtl' || rightToLeft.test(part) ? `\u2068${part}\u2069` : part

/** Whether there is a text for a key. */
export const has = (key: string): boolean => message(key) !== ''

/** A text whose parts are elements, each with its own direction. */
export function filled(key: string, ...parts: (Node | string)[]): DocumentFragment {
  const made = document.createDocumentFragment()
  // The control characters mark the places of the parts.
  for (const piece of (message(key, parts.map((_, i) => `\u0001${i}\u0001`)) || key).split('\u0001')) {
    if (!/^\d$/.test(piece)) {
      made.append(piece)
      continue
    }
    const part = document.createElement('bdi')
    part.append(parts[Number(piece)]!)
    made.append(part)
  }
  return made
}

/** Fills the page's elements with data-i18n, and sets its language and direction. */
export function translate(page: Document): void {
  page.documentElement.lang = t('lang')
  page.documentElement.dir = t('dir')
  for (const element of page.querySelectorAll<HTMLElement>('[data-i18n]')) element.textContent = t(element.dataset['i18n']!)
  for (const element of page.querySelectorAll<HTMLElement>('[data-i18n-label]')) element.ariaLabel = t(element.dataset['i18nLabel']!)
}

/**
 * The locale of dates and numbers: the browser's own, such as en-GB, where the
 * texts are in its language, otherwise that of the texts.
 */
const locale = (): string => {
  const browser = chrome.i18n.getUILanguage(), texts = message('lang')
  return browser.split('-', 1)[0] === texts.split('-', 1)[0] ? browser : texts
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000]]

/** How long ago something was: "now", "4 min ago", "yesterday"; a date after a week. */
export function ago(at: number, now: number): string {
  const past = Math.max(now - at, 0)
  if (past > 7 * 86_400_000) return new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short' }).format(at)
  const relative = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'narrow' })
  const [unit, ms] = units.find(([, ms]) => past >= ms) ?? ['second', Infinity]
  return relative.format(-Math.floor(past / ms) || 0, unit)
}

/** A moment today as a time, another one with its date. */
export function clock(at: number, now: number): string {
  const today = new Date(at).toDateString() === new Date(now).toDateString()
  return new Intl.DateTimeFormat(locale(), { hour: 'numeric', minute: '2-digit', ...!today && { day: 'numeric', month: 'short' } }).format(at)
}

/** The name of a day of the week; the first is Monday. */
export const weekday = (day: number): string => new Intl.DateTimeFormat(locale(), { weekday: 'short', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + day))

export const number = (n: number): string => new Intl.NumberFormat(locale()).format(n)

/** Several words as a list: "likes, comments and messages". */
export const list = (words: string[]): string => new Intl.ListFormat(locale(), { type: 'conjunction' }).format(words)
