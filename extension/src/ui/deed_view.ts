import { isTaskType, isWrite, taskTypes } from '../shared/protocol'
import type { Deed, Target } from '../shared/state'
import { ago, filled, has, number, t } from './i18n'
import { element } from './worker'

/** Which lines of the log are shown. */
export type Filter = 'all' | 'reads' | 'writes' | 'failed'

export const matches = (deed: Deed, filter: Filter): boolean =>
  filter === 'all' || (filter === 'failed' ? deed.error !== undefined : isWrite(deed.task_type) === (filter === 'writes'))

/** What a task did, with links to post and profile. */
export function sentence(deed: Deed, running = false): DocumentFragment {
  const key = `${deed.error || running ? 'task' : 'did'}_${deed.task_type}`
  if (!has(key)) return filled(deed.task_type)
  return filled(key, target(deed), deed.text ? t('quoted', deed.text) : '')
}

function target({ task_type: type, target: of }: Deed): Node {
  if (!of) return document.createTextNode(t(unnamed(type)))
  if (!of.by) return link(of)
  return filled('post_of', link(of.by), link(of))
}

const unnamed = (type: string): string =>
  /like|comment/.test(type) ? 'some_post' : /company/.test(type) ? 'some_company' : /profiles_posts/.test(type) ? 'some_people'
    : /profile_fetch/.test(type) ? 'some_profile' : 'some_person'

/** A name as a link, if it is one of http or https. */
function link({ name, url }: Pick<Target, 'name' | 'url'>): Node {
  if (!url || !/^https?:\/\//.test(url)) return element('b', '', name)
  const a = element('a', '', name) as HTMLAnchorElement
  a.href = url
  a.target = '_blank'
  a.rel = 'noreferrer'
  return a
}

/** A line of the log. */
export function line(deed: Deed, now: number, running = false): HTMLElement {
  const row = element('li', `deed${deed.error ? ' failed' : ''}${running ? ' running' : ''}`)
  const symbol = element('i', `symbol ${symbolOf(deed)}`)
  symbol.ariaHidden = 'true'
  const what = element('div', 'what')
  const words = element('p', 'words')
  words.append(sentence(deed, running))
  what.append(words)
  if (deed.error) {
    const said = element('p', 'error', t(`error_${deed.error.code}`))
    said.title = deed.error.message
    what.append(said)
  } else if (deed.count !== undefined) what.append(element('p', 'soft', t('found', number(deed.count))))
  const time = element('time', 'soft', running ? '…' : ago(deed.at, now)) as HTMLTimeElement
  time.dateTime = new Date(deed.at).toISOString()
  time.title = `${time.dateTime} · ${deed.task}`
  row.append(symbol, what, time)
  return row
}

/** The icon of a task. */
export function symbolOf({ task_type: type, error }: Pick<Deed, 'task_type' | 'error'>): string {
  if (error) return 'failure'
  return isTaskType(type) ? taskTypes[type].symbol : 'person'
}

/** The log as a table of comma-separated values. */
export function csv(deeds: Deed[]): string {
  const quoted = (value: string | number) => {
    // A leading sign would make a spreadsheet calculate.
    const text = String(value).replace(/^[=+\-@\t\r]/, "'$&")
    return `"${text.replaceAll('"', '""')}"`
  }
  const rows = deeds.map(d => [
    new Date(d.at).toISOString(), d.task, d.task_type, d.target?.by?.name ?? d.target?.name ?? '', d.target?.url ?? '', d.text ?? '', d.count ?? '', d.error?.code ?? 'done',
  ])
  return [['time', 'task', 'type', 'name', 'url', 'text', 'found', 'outcome'], ...rows].map(row => row.map(quoted).join(',')).join('\r\n') + '\r\n'
}
