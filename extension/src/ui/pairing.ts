// The cards that pair this browser: a sign-in at the service by a link, a code or by
// email, and then the consent, which names what the sign-in has told.

import { accessTo } from '../shared/access'
import { readLink } from '../shared/pairing_link'
import type { Invitation, SignInReply } from '../shared/protocol'
import type { Failure, Pairing, State } from '../shared/state'
import { tellableBrowser } from '../shared/browser'
import { t } from './i18n'
import { Invited, networkOf, Refusal, sendCode, serviceAt, signIn } from './service'
import { $, element, field, tell } from './worker'

type Show = (state: State | Failure | undefined) => void

const inputs = ['code', 'email', 'otp', 'service'] as const

/** The session that the member may agree to. */
let offered: Required<Pairing> | undefined
/** Whether the member has agreed, and the worker pairs. */
let agreed = false
/** A pairing link that the page was opened with, until it is known whether the browser is paired. */
let link = linkOfPage()

/** Connects the cards; show gets the worker's state. */
export function preparePairing(show: Show): void {
  field('service').value = SERVICE_ORIGIN
  field('service').readOnly = NETWORK_ORIGIN !== ''
  const tabs = [$('#tab-code'), $('#tab-mail')]
  for (const tab of tabs) {
    tab.addEventListener('click', () => open(tabs, tab))
    tab.addEventListener('keydown', event => {
      if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
      const other = tabs.find(one => one !== tab)!
      open(tabs, other)
      other.focus()
    })
  }
  for (const id of inputs) field(id).addEventListener('input', () => clear(id))
  field('email').addEventListener('input', forgetMail)
  field('service').addEventListener('input', forgetMail)
  field('code').addEventListener('input', () => {
    const typed = readLink(field('code').value)
    if (typed) fill(typed)
  })
  $('#pairing').addEventListener('submit', event => {
    event.preventDefault()
    void attempt($('#go'), byMail() ? continueByMail : async () => offer(await signIn(service(), { code: needed('code') })))
  })
  for (const [id, act] of Object.entries({ '#agree': agree, '#decline': decline })) {
    $(id).addEventListener('click', () => void act().then(state => { if (state) show(state) }))
  }
  // A page that is closed has not agreed.
  addEventListener('pagehide', () => void decline())
}

/** Shows the cards of an unpaired browser, and takes the link that the page was opened with. */
export function showPairing(state: State | undefined): void {
  $('#unpaired').hidden = !state || !!state.pairing || offered !== undefined
  $('#consent').hidden = !state || !!state.pairing || offered === undefined
  if (!state || !link) return
  if (state.pairing) say(t('paired_already', state.pairing.team.name))
  else if (fill(link)) $<HTMLFormElement>('#pairing').requestSubmit()
  link = undefined
}

/** The link in the page's address. The code does not stay there. */
function linkOfPage(): ReturnType<typeof readLink> {
  const given = new URLSearchParams(location.hash.slice(1)).get('link')
  if (given === null) return undefined
  history.replaceState(null, '', location.pathname)
  return readLink(given)
}

/** Fills the form from a link; false when its service is refused. */
function fill(link: { service: string; code: string }): boolean {
  clear('service')
  try {
    field('service').value = serviceAt(link.service)
  } catch (failure) {
    fault(failure)
    return false
  }
  field('code').value = link.code
  return true
}

const byMail = (): boolean => $('#tab-mail').ariaSelected === 'true'

/** Opens the panel of a tab. */
function open(tabs: HTMLElement[], tab: HTMLElement): void {
  for (const each of tabs) {
    const chosen = each === tab
    each.ariaSelected = String(chosen)
    each.tabIndex = chosen ? 0 : -1
    $(`#${each.getAttribute('aria-controls')}`).hidden = !chosen
  }
  for (const id of inputs) clear(id)
  label()
}

/** Names what the form's button does next. */
function label(): void {
  $('#go').textContent = t(byMail() && $('#otp-step').hidden ? 'send_code' : 'do_continue')
}

/** The origin of the service; the field shows it in full. */
function service(): string {
  const origin = serviceAt(field('service').value)
  field('service').value = origin
  return origin
}

/** The value of a required field. */
function needed(id: 'code' | 'email' | 'otp'): string {
  const value = field(id).value.trim()
  if (value === '') throw new Refusal(id, id === 'email' ? 'no_team' : id === 'otp' ? 'wrong_otp' : 'wrong_code')
  return value
}

async function continueByMail(): Promise<void> {
  const email = needed('email')
  if (!$('#otp-step').hidden) return signInByMail(email, needed('otp'))
  await sendCode(service(), email)
  $('#otp-step').hidden = false
  label()
  field('otp').focus()
  $('#answer').textContent = t('otp_sent', email)
}

/** Another address or another service: the mailed code does not belong to it. */
function forgetMail(): void {
  $('#otp-step').hidden = true
  field('otp').value = ''
  $('#answer').textContent = ''
  label()
  offerInvitations([])
}

/** Signs in by a mailed code. A member without a team is asked which invitation to accept. */
async function signInByMail(email: string, otp: string, accept?: string): Promise<void> {
  try {
    await offer(await signIn(service(), { email, otp, ...accept !== undefined && { accept } }))
    offerInvitations([])
  } catch (failure) {
    if (!(failure instanceof Invited)) throw failure
    offerInvitations(failure.invitations, id => signInByMail(email, otp, id))
  }
}

/** Offers invitations in place of the form's button; none takes the offer back. */
function offerInvitations(invitations: Invitation[], accept?: (id: string) => Promise<void>): void {
  $('#choice').hidden = invitations.length === 0
  $('#go').hidden = invitations.length > 0
  $('#invitations').replaceChildren(...invitations.map(({ id, team_name: team, invited_by: by }) => {
    const line = element('li', 'invitation', t('invited_by', by === 'operator' ? t('the_operator') : by))
    const button = element('button', 'primary', t('do_join', team))
    button.setAttribute('type', 'button')
    button.addEventListener('click', () => void attempt(button, () => accept!(id)))
    line.prepend(button)
    return line
  }))
  $('#invitations').querySelector('button')?.focus()
}

/** Acts while a button is disabled, and shows errors at their fields. */
async function attempt(button: HTMLElement, act: () => Promise<void>): Promise<void> {
  button.setAttribute('disabled', '')
  for (const id of inputs) clear(id)
  say('')
  try {
    await act()
  } catch (failure) {
    fault(failure)
  } finally {
    button.removeAttribute('disabled')
  }
}

function clear(id: typeof inputs[number]): void {
  $(`#${id}-error`).textContent = ''
  field(id).ariaInvalid = null
}

function fault(failure: unknown): void {
  const id = failure instanceof Refusal ? failure.field : 'service'
  $(`#${id}-error`).textContent = failure instanceof Refusal ? failure.message : t('service_said', String(failure))
  field(id).ariaInvalid = 'true'
  if (id === 'service') $<HTMLDetailsElement>('#own').open = true
  field(id).focus()
}

/** Says something about the whole card; "" takes it back. */
function say(text: string): void {
  $('#said').textContent = text
  $('#said').hidden = text === ''
}

/** Shows what the member would agree to. A service that names no network is refused, and its session ended. */
async function offer(reply: SignInReply): Promise<void> {
  const at = service(), { session_token: token, team, member } = reply
  try {
    offered = { service: at, network: networkOf(at, reply), token, team, member }
  } catch (failure) {
    void tell({ type: 'decline', service: at, token })
    throw failure
  }
  const network = new URL(offered.network).host
  $('#offered-team').textContent = team.name
  $('#offered-member').textContent = member.email
  $('#offered-service').textContent = new URL(at).host
  $('#offered-network').textContent = network
  $('#consent-does').textContent = t('consent_does', network)
  $('#consent-leaves').textContent = t('consent_leaves', new URL(at).host)
  $('#consent-account').textContent = t('consent_account', network)
  const browser = await tellableBrowser(), sent = browser ? [`${browser.name} ${browser.version}`.trim(), browser.os] : []
  $('#consent-browser').textContent = t('consent_browser', [...sent, `Watchpost ${chrome.runtime.getManifest().version}`].filter(part => part !== '').join(', '))
  for (const id of ['code', 'otp'] as const) field(id).value = ''
  forgetMail()
  $('#unpaired').hidden = true
  $('#consent').hidden = false
  // Not the button: an Enter that is held down has not agreed.
  $('#consent-title').focus()
}

/** Pairs the browser as offered. */
async function agree(): Promise<State | Failure | undefined> {
  if (!offered || agreed) return undefined
  agreed = true
  // Within the click, as browsers want it; while the browser asks, the worker pairs.
  // If it wants another click for it, the state has a button.
  if (!NETWORK_ORIGIN) void chrome.permissions.request({ origins: accessTo(offered.network) }).catch(() => {})
  const state = await tell({ type: 'pair', ...offered })
  offered = undefined
  agreed = false
  return state
}

/** Ends the session that was offered. */
async function decline(): Promise<State | Failure | undefined> {
  if (!offered || agreed) return undefined
  const { service, token } = offered
  offered = undefined
  say(t('declined'))
  return tell({ type: 'decline', service, token })
}
