import type { SignInReply } from '../shared/protocol'
import type { State } from '../shared/state'
import { originOf, sendCode, signIn } from './service'
import { $, follow, tell } from './worker'

const field = (id: string): HTMLInputElement => $<HTMLInputElement>(`#${id}`)

$('#network').textContent = new URL(NETWORK_ORIGIN).host
field('service').value = SERVICE_ORIGIN
follow(show)

// Which of the two ways to pair is open.
const tabs = [$('#tab-code'), $('#tab-mail')]
for (const tab of tabs) {
  tab.addEventListener('click', () => open(tab))
  tab.addEventListener('keydown', event => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const other = tabs.find(t => t !== tab)!
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
  answer('')
}

$('#where').addEventListener('submit', event => event.preventDefault())

$('#by-code').addEventListener('submit', event => {
  event.preventDefault()
  void attempt(event.target as HTMLFormElement, async () => pair(await signIn(service(), { code: field('code').value.trim() })))
})

$('#by-mail').addEventListener('submit', event => {
  event.preventDefault()
  void attempt(event.target as HTMLFormElement, async () => {
    const email = field('email').value.trim()
    if ($('#otp-step').hidden) {
      await sendCode(service(), email)
      $('#otp-step').hidden = false
      field('otp').required = true
      $('#mail-button').textContent = 'Pair'
      field('otp').focus()
      answer(`We have sent a code to ${email}.`)
    } else await pair(await signIn(service(), { email, otp: field('otp').value.trim() }))
  })
})

field('email').addEventListener('input', () => {
  $('#otp-step').hidden = true
  field('otp').required = false
  field('otp').value = ''
  $('#mail-button').textContent = 'Send me a code'
})

$('#unpair').addEventListener('click', () => void tell({ type: 'unpair' }).then(show))
$('#reconnect').addEventListener('click', () => void tell({ type: 'reconnect' }).then(show))

const service = (): string => originOf(field('service').value)

/** Handles a form's values while its button is disabled, and shows errors. */
async function attempt(form: HTMLFormElement, act: () => Promise<void>): Promise<void> {
  const button = form.querySelector('button')!
  button.disabled = true
  answer('')
  try {
    await act()
  } catch (failure) {
    answer(failure instanceof Error ? failure.message : String(failure), true)
  } finally {
    button.disabled = false
  }
}

async function pair({ session_token: token, team, member }: SignInReply): Promise<void> {
  show(await tell({ type: 'pair', service: service(), token, team, member }))
  for (const id of ['code', 'otp']) field(id).value = ''
  answer('')
}

function answer(text: string, wrong = false): void {
  const line = $('#answer')
  line.textContent = text
  line.className = wrong ? 'error' : 'soft'
}

function show(state: State): void {
  $('#paired').hidden = !state.pairing
  $('#unpaired').hidden = !!state.pairing
  const notice = state.ended === 'revoked' ? 'Your team has ended this browser\'s pairing. Pair it again to go on.'
    : state.ended === 'replaced' ? 'Another browser has taken over this pairing.' : ''
  $('#notice').textContent = notice
  $('#notice').hidden = notice === ''
  $('#reconnect').hidden = state.ended !== 'replaced'
  if (!state.pairing) return
  const { account } = state
  $('#team').textContent = state.pairing.team.name
  $('#member').textContent = state.pairing.member.email
  $('#service-name').textContent = new URL(state.pairing.service).host
  $('#account').textContent = account.signed_in ? `${account.name} (${account.slug})`
    : `not signed in${account.name ? `, last ${account.name}` : ''}: sign in at ${new URL(state.network).host}`
  $('#link').textContent = state.paused ? 'paused' : state.ended ? 'ended' : state.connected === 'poll' ? 'connected (long poll)' : state.connected ? 'connected' : 'connecting…'
}
