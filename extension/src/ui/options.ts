import { accessTo } from '../shared/access'
import type { Invitation, SignInReply } from '../shared/protocol'
import type { Failure, State } from '../shared/state'
import { csv, line, matches, type Filter } from './deed_view'
import { t, translate } from './i18n'
import { offerPace, showPace } from './pace_view'
import { offerPauses } from './pause_view'
import { Invited, networkOf, Refusal, sendCode, serviceAt, signIn } from './service'
import { showState } from './state_view'
import { applyTheme, theme, type Theme } from './theme'
import { useLine } from './use_view'
import { $, ask, element, follow, tell } from './worker'

const field = (id: string): HTMLInputElement => $<HTMLInputElement>(`#${id}`)
let current: State | undefined

translate(document)
document.title = t('options_title')
applyTheme()
showNetwork(NETWORK_ORIGIN)
field('service').value = SERVICE_ORIGIN
field('service').readOnly = NETWORK_ORIGIN !== ''
follow(show)

// Which of the two ways to pair is open.
const tabs = [$('#tab-code'), $('#tab-mail')]
for (const tab of tabs) {
  tab.addEventListener('click', () => open(tab))
  tab.addEventListener('keydown', event => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const other = tabs.find(one => one !== tab)!
    open(other)
    other.focus()
  })
}

function open(tab: HTMLElement): void {
  for (const each of tabs) {
    const chosen = each === tab
    each.ariaSelected = String(chosen)
    each.tabIndex = chosen ? 0 : -1
    $(`#${each.getAttribute('aria-controls')}`).hidden = !chosen
  }
  fault()
}

$('#by-code').addEventListener('submit', event => {
  event.preventDefault()
  void attempt(event.target as HTMLFormElement, async () => pair(await signIn(service(), { code: needed('code') })))
})

$('#by-mail').addEventListener('submit', event => {
  event.preventDefault()
  void attempt(event.target as HTMLFormElement, async () => {
    const email = needed('email')
    if ($('#otp-step').hidden) {
      await sendCode(service(), email)
      $('#otp-step').hidden = false
      $('#mail-button').textContent = t('do_pair_now')
      field('otp').focus()
      $('#answer').textContent = t('otp_sent', email)
    } else await pairByMail(email, needed('otp'))
  })
})

field('email').addEventListener('input', () => {
  $('#otp-step').hidden = true
  field('otp').value = ''
  $('#answer').textContent = ''
  $('#mail-button').textContent = t('send_code')
  offer([])
})

$('#unpair').addEventListener('click', () => void unpair())
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

const service = (): string => serviceAt(field('service').value)

/** The value of a required field. */
function needed(id: string): string {
  const value = field(id).value.trim()
  if (value === '') throw new Refusal(id as Refusal['field'], id === 'email' ? 'no_team' : id === 'otp' ? 'wrong_otp' : 'wrong_code')
  return value
}

/** Handles a form's values while its button is disabled, and shows errors at their fields. */
async function attempt(form: HTMLFormElement, act: () => Promise<void>): Promise<void> {
  const button = form.querySelector('button')!
  button.disabled = true
  fault()
  try {
    await act()
  } catch (failure) {
    fault(failure)
  } finally {
    button.disabled = false
  }
}

/** Shows an error at its field; none clears all. */
function fault(failure?: unknown): void {
  for (const id of ['code', 'email', 'otp', 'service']) {
    const here = failure !== undefined && (failure instanceof Refusal ? failure.field : 'service') === id
    $(`#${id}-error`).textContent = !here ? '' : failure instanceof Refusal ? failure.message : t('service_said', String(failure))
    field(id).ariaInvalid = here ? 'true' : null
    if (here && id === 'service') $<HTMLDetailsElement>('#own').open = true
    if (here) field(id).focus()
  }
}

/** Pairs by a mailed code. A member without a team is asked which invitation to accept. */
async function pairByMail(email: string, otp: string, accept?: string): Promise<void> {
  try {
    await pair(await signIn(service(), { email, otp, ...accept !== undefined && { accept } }))
    offer([])
  } catch (failure) {
    if (!(failure instanceof Invited)) throw failure
    offer(failure.invitations, id => pairByMail(email, otp, id))
  }
}

/** Offers invitations in place of the form's button; none takes the offer back. */
function offer(invitations: Invitation[], accept?: (id: string) => Promise<void>): void {
  $('#choice').hidden = invitations.length === 0
  $('#mail-button').hidden = invitations.length > 0
  $('#invitations').replaceChildren(...invitations.map(({ id, team_name: team, invited_by: by }) => {
    const line = element('li', 'invitation', t('invited_by', by === 'operator' ? t('the_operator') : by))
    const button = element('button', 'primary', t('do_join', team))
    button.setAttribute('type', 'button')
    button.addEventListener('click', () => void attempt($<HTMLFormElement>('#by-mail'), () => accept!(id)))
    line.prepend(button)
    return line
  }))
  $('#invitations').querySelector('button')?.focus()
}

async function pair(reply: SignInReply): Promise<void> {
  const { session_token: token, team, member } = reply, network = networkOf(service(), reply)
  show(await tell({ type: 'pair', service: service(), network, token, team, member }))
  for (const id of ['code', 'otp']) field(id).value = ''
  // If the browser wants another click for it, the state has a button.
  if (!NETWORK_ORIGIN) await chrome.permissions.request({ origins: accessTo(network) }).catch(() => {})
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

/** Names the network, "" while it is not known, where the page says what is done there. */
function showNetwork(origin: string): void {
  const host = origin ? new URL(origin).host : t('team_network')
  for (const consent of document.querySelectorAll('.consent')) consent.textContent = t('consent', host)
  $('#about-1').textContent = t('about_1', host)
}

function show(state: State | Failure | undefined): void {
  showState(state, show)
  current = state && !('failed' in state) ? state : undefined
  const pairing = current?.pairing
  $('#paired').hidden = $('#log').hidden = !pairing
  $('#unpaired').hidden = !current || !!pairing
  $('#state').hidden = current?.condition.kind === 'unpaired'
  const notice = current?.unpaired && !pairing ? t(`unpaired_${current.unpaired}`) : ''
  $('#notice').textContent = notice
  $('#notice').hidden = notice === ''
  if (current) showNetwork(current.network)
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
  showLog()
}
