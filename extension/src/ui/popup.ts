import { toneOf, type Tone } from '../shared/condition'
import type { Failure, State } from '../shared/state'
import { line } from './deed_view'
import { t, translate } from './i18n'
import { offerPauses } from './pause_view'
import { showState } from './state_view'
import { applyTheme } from './theme'
import { useLine } from './use_view'
import { $, element, follow } from './worker'

/** Numbers of allowances and actions in the popup, where a long state leaves less room; the settings page has all. */
const room: Record<Tone, [uses: number, deeds: number]> = { good: [4, 3], off: [4, 2], wait: [4, 2], bad: [2, 1] }

translate(document)
applyTheme()
$('#settings').addEventListener('click', () => void chrome.runtime.openOptionsPage())
$('#all').addEventListener('click', () => void chrome.tabs.create({ url: chrome.runtime.getURL('options.html#log') }))
offerPauses(show)
follow(show)

function show(state: State | Failure | undefined): void {
  showState(state, show)
  const live = state && !('failed' in state) ? state : undefined
  $('#paired').hidden = !live?.pairing || live.condition.kind === 'asking' // the decision has the room
  $('#pause').hidden = !live?.pairing || live.paused
  if ($('#pause').hidden) $('#pause-for').hidden = true
  $('#team').textContent = live?.pairing?.team.name ?? ''
  $('#version').textContent = live?.version ?? ''
  if (!live) return
  const now = Date.now()
  const [someUses, someDeeds] = room[toneOf[live.condition.kind]]
  const uses = live.allowances.filter(use => use.used > 0).sort((a, b) => b.used / b.limit - a.used / a.limit).slice(0, someUses)
  $('#uses').replaceChildren(...uses.length > 0 ? uses.map(use => useLine(use, now)) : [element('li', 'soft', t('allowances_none'))])
  const lines = [...live.running ? [line(live.running, now, true)] : [], ...live.deeds.map(deed => line(deed, now))].slice(0, someDeeds)
  $('#deeds').replaceChildren(...lines.length > 0 ? lines : [element('li', 'soft none', t('actions_none'))])
}
