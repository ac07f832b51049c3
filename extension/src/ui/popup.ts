import type { Deed, State, Use } from '../shared/state'
import { $, element, follow, tell } from './worker'
import { ago, allowanceNames, deedOf, doingOf, shortly, symbolOf } from './words'

$('#pair').addEventListener('click', () => void chrome.runtime.openOptionsPage())
$('#settings').addEventListener('click', () => void chrome.runtime.openOptionsPage())
$<HTMLInputElement>('#work').addEventListener('change', event => {
  void tell({ type: 'pause', on: !(event.target as HTMLInputElement).checked }).then(show)
})
follow(show)

function show(state: State): void {
  const paired = state.pairing !== undefined
  $('#unpaired').hidden = paired
  $('#paired').hidden = !paired
  $('#team').textContent = state.pairing?.team.name ?? ''
  $('#version').textContent = state.version
  showLink(state)
  showNotice(state)
  if (!paired) return
  const { account } = state
  $('#account').textContent = account.signed_in ? account.name : account.name ? `${account.name} (signed out)` : 'Nobody signed in to the network'
  $('#now').textContent = state.running ? `${doingOf(state.running.task_type)} ${shortly(state.running.about)}`
    : state.paused ? 'Paused: your team\'s work waits.' : 'Nothing to do right now.'
  $<HTMLInputElement>('#work').checked = !state.paused
  $('#switch-text').textContent = state.paused ? 'Paused' : 'On'
  const uses = state.uses.filter(use => use.used > 0)
  $('#uses').replaceChildren(...uses.length > 0 ? uses.map(useLine) : [element('li', 'soft', 'Nothing yet.')])
  $('#deeds').replaceChildren(...state.deeds.length > 0 ? state.deeds.map(deedLine) : [element('li', 'soft', 'Nothing yet.')])
}

function showLink(state: State): void {
  const link = $('#link')
  const [text, kind] = !state.pairing ? ['Not paired', 'off']
    : state.paused ? ['Paused', 'off']
      : state.connected ? ['Connected', 'on'] : ['Connecting', 'wait']
  link.textContent = text!
  link.dataset['kind'] = kind
  link.title = state.connected === 'poll' ? 'Connected by long poll: something on the way does not let sockets through.' : ''
}

function showNotice(state: State): void {
  const text = state.ended === 'revoked' ? 'This browser\'s pairing has ended. Pair it again to go on.'
    : state.ended === 'replaced' ? 'Another browser has taken over this pairing.'
      : state.pairing && !state.paused && !state.account.signed_in ? `Sign in to the network at ${new URL(state.network).host} so that work can be done.` : ''
  $('#notice').textContent = text
  $('#notice').hidden = text === ''
}

function useLine({ action, used, limit, period }: Use): HTMLElement {
  const line = element('li', 'use')
  const meter = document.createElement('meter')
  meter.max = limit
  meter.value = Math.min(used, limit)
  meter.title = `${used} of ${limit} a ${period}`
  line.append(element('span', '', allowanceNames[action] ?? action), meter, element('b', '', `${used} / ${limit}`))
  return line
}

function deedLine(deed: Deed): HTMLElement {
  const line = element('li', deed.error ? 'deed failed' : 'deed')
  const symbol = element('i', `symbol ${symbolOf(deed.task_type)}`)
  symbol.ariaHidden = 'true'
  const what = element('div', '', `${deed.error ? doingOf(deed.task_type) : deedOf(deed.task_type)} `)
  what.append(element('b', '', shortly(deed.about)))
  if (deed.error) what.append(element('p', 'error', `did not work: ${deed.error.message}`))
  const time = element('time', 'soft', ago(deed.at, Date.now()))
  time.setAttribute('datetime', new Date(deed.at).toISOString())
  line.append(symbol, what, time)
  return line
}
