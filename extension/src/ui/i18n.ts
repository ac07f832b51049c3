// The texts, in the language of the browser: src/locales.

/** The text for a key, with its parts filled in. */
export const t = (key: string, ...parts: (string | number)[]): string => chrome.i18n.getMessage(key, parts.map(String)) || key

/** Whether there is a text for a key. */
export const has = (key: string): boolean => chrome.i18n.getMessage(key) !== ''

/** A text whose parts are elements; an absent part becomes "". */
export function filled(key: string, ...parts: (Node | string)[]): DocumentFragment {
  const made = document.createDocumentFragment()
  // The control characters mark the places of the parts.
  for (const piece of t(key, ...parts.map((_, i) => `\u0001${i}\u0001`)).split('\u0001')) {
    made.append(/^\d$/.test(piece) ? parts[Number(piece)]! : piece)
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

const units: [Intl.RelativeTimeFormatUnit, number][] = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000]]

/** How long ago something was: "now", "4 min ago", "yesterday"; a date after a week. */
export function ago(at: number, now: number): string {
  const past = Math.max(now - at, 0)
  if (past > 7 * 86_400_000) return new Intl.DateTimeFormat(t('lang'), { day: 'numeric', month: 'short' }).format(at)
  const relative = new Intl.RelativeTimeFormat(t('lang'), { numeric: 'auto', style: 'narrow' })
  const [unit, ms] = units.find(([, ms]) => past >= ms) ?? ['second', Infinity]
  return relative.format(-Math.floor(past / ms) || 0, unit)
}

/** A moment today as a time, another one with its date. */
export function clock(at: number, now: number): string {
  const today = new Date(at).toDateString() === new Date(now).toDateString()
  return new Intl.DateTimeFormat(t('lang'), { hour: 'numeric', minute: '2-digit', ...!today && { day: 'numeric', month: 'short' } }).format(at)
}

export const number = (n: number): string => new Intl.NumberFormat(t('lang')).format(n)

/** Several words as a list: "likes, comments and messages". */
export const list = (words: string[]): string => new Intl.ListFormat(t('lang'), { type: 'conjunction' }).format(words)
