import type { Question } from '../shared/state'
import { sentence } from './deed_view'
import { t } from './i18n'
import { element, tell } from './worker'

/** A write that needs the member's consent: its kind, its full text, and the place where it would be done. */
export function questionView({ deed, text, url }: Question): HTMLElement[] {
  const what = element('p', 'words')
  what.append(sentence(deed, true))
  const parts = [what]
  if (text !== '') {
    const quote = element('blockquote', '', text)
    quote.dir = 'auto'
    quote.tabIndex = 0 // a long text scrolls
    parts.push(quote)
  }
  if (url) {
    const page = element('a', 'soft', t('open_page')) as HTMLAnchorElement
    page.href = url
    page.target = '_blank'
    page.rel = 'noreferrer'
    const line = element('p', '')
    line.append(page)
    parts.push(line)
  }
  return parts
}

/** The member's two answers. */
export function answers({ deed: { task } }: Question, answered: (state: Awaited<ReturnType<typeof tell>>) => void): HTMLElement[] {
  const button = (label: string, className: string, allow: boolean) => {
    const one = element('button', className, t(label))
    one.addEventListener('click', () => void tell({ type: 'answer', task, allow }).then(answered))
    return one
  }
  return [button('do_allow', 'primary', true), button('do_skip', '', false)]
}
