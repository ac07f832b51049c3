import type { Failure, State } from '../shared/state'
import { csv, line, matches, type Filter } from './deed_view'
import { t, translate } from './i18n'
import { offerPace, showPace } from './pace_view'
import { offerPauses } from './pause_view'
import { preparePairing, showPairing } from './pairing'
import { showState } from './state_view'
import { applyTheme, theme, type Theme } from './theme'
import { useLine } from './use_view'
import { $, ask, element, field, follow, tell } from './worker'

let current: State | undefined

translate(document)
document.title = t('options_title')
applyTheme()
preparePairing(show)
follow(show)

$('#unpair').addEventListener('click', () => void unpair())
$('#forget').addEventListener('click', () => void forgetLog())
offerPauses(show)
offerPace(show)
$('#pace').addEventListener('change', () => void tell({ type: 'pace', seconds: Number(field('pace').value) }).then(show))
field('theme').value = theme()
$('#theme').addEventListener('change', () => applyTheme(field('theme').value as Theme))
$('#filter').addEventListener('change', showLog)
$('#copy').addEventListener('click', () => void navigator.clipboard.writeText(diagnostics()).then(() => { $('#copied').textContent = t('copied') }))
$('#export').addEventListener('click', () => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([csv(current?.deeds ?? [])], { type: 'text/csv' }))
  link.download = 'watchpost-actions.csv'
  link.click()
})

async function unpair(): Promise<void> {
  if (await ask(t('unpair_ask'), t('do_unpair'))) show(await tell({ type: 'unpair' }))
}

async function forgetLog(): Promise<void> {
  if (await ask(t('forget_ask'), t('do_forget'))) show(await tell({ type: 'forget_log' }))
}

/** What helps to find a fault, without secrets and without texts. */
function diagnostics(): string {
  const { pairing, deeds, allowances, ...rest } = current ?? {}
  return JSON.stringify({
    ...rest, service: pairing?.service, team: pairing?.team.id, browser: navigator.userAgent,
    failures: (deeds ?? []).filter(d => d.error).slice(0, 20).map(d => ({ at: new Date(d.at).toISOString(), task: d.task, type: d.task_type, ...d.error })),
  }, null, 2)
}

function showLog(): void {
  const now = Date.now(), chosen = field('filter').value as Filter
  const deeds = (current?.deeds ?? []).filter(deed => matches(deed, chosen))
  $('#deeds').replaceChildren(...deeds.length > 0 ? deeds.map(deed => line(deed, now)) : [element('li', 'soft none', t('actions_none'))])
}

function show(state: State | Failure | undefined): void {
  showState(state, show)
  current = state && !('failed' in state) ? state : undefined
  const pairing = current?.pairing
  const kept = (current?.deeds.length ?? 0) > 0
  $('#paired').hidden = !pairing
  $('#log').hidden = !pairing && !kept
  $('#left').hidden = !!pairing || !kept
  showPairing(current)
  $('#state').hidden = current?.condition.kind === 'unpaired'
  const notice = current?.unpaired && !pairing ? t(`unpaired_${current.unpaired}`) : ''
  $('#notice').textContent = notice
  $('#notice').hidden = notice === ''
  $('#about-1').textContent = t('about_1', current?.network ? new URL(current.network).host : t('team_network'))
  showLog()
  if (!current || !pairing) return
  const { account } = current
  $('#team').textContent = pairing.team.name
  $('#member').textContent = pairing.member.email
  $('#service-name').textContent = new URL(pairing.service).host
  $('#account').textContent = account.signed_in ? `${account.name} (${account.slug})` : t('nobody')
  $('#pause').hidden = current.paused
  if (current.paused) $('#pause-for').hidden = true
  showPace(current.writes)
  $('#uses').replaceChildren(...current.allowances.map(use => useLine(use, Date.now())))
  $('#uses-title').hidden = current.allowances.length === 0
  field('pace').value = String(current.pace)
}
