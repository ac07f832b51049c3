// The single-page site: it shows the address of the window from the JSON API,
// changes pages without loading, and sends writes.

import { draw, h, kinds } from './views.js'

const root = document.querySelector('#root')
const messages = document.querySelector('#messages')

/** The forum has a host of its own where the site has a name. */
const named = location.hostname.includes('.') && !/^[\d.]+$/.test(location.hostname)
const mainHost = location.host.replace(/^forum\./, '')
const hostOf = path => named && path.startsWith('/forum') ? `forum.${mainHost}` : mainHost

/** The address of a path, on the host that shows it. */
export const addressOf = path => hostOf(path) === location.host ? path : `${location.protocol}//${hostOf(path)}${path}`

let token = '' // for writes as the shown account
let viewer = '' // the shown account
let layout = ''
let turn = 0 // counts shown pages: an answer for an earlier one is ignored

const ask = async (path, options) => {
  const answer = await fetch(`/api${path}`, { cache: 'no-store', ...options })
  if (answer.status >= 500) throw new Error(`status ${answer.status}`)
  const data = await answer.json()
  if (data.csrf && data.viewer?.urn === viewer) token = data.csrf
  return data
}

/** A page states its address only when it shows it. */
const settle = () => document.head.append(h('link', { rel: 'canonical', href: location.href }))

const render = data => {
  layout = data.layout
  viewer = data.viewer?.urn ?? ''
  token = data.csrf ?? ''
  if (data.kind === 'sign_in' && location.pathname !== '/sign-in') {
    history.replaceState(null, '', `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`)
  }
  document.title = `${data.title} | Network`
  document.querySelector('link[rel="canonical"]')?.remove()
  root.replaceChildren(...draw(data, { write, more, show, open }))
  settle()
}

/** Shows the window's address. */
export const show = async () => {
  const mine = ++turn, path = location.pathname + location.search
  document.querySelector('link[rel="canonical"]')?.remove()
  root.replaceChildren(h('div', { role: 'progressbar', 'aria-label': 'Loading' }, 'Loading'))
  scrollTo(0, 0)
  let data
  try {
    data = await ask(path)
  } catch {
    data = { kind: 'failed', title: 'Something went wrong', layout }
  }
  if (mine === turn) render(data)
}

/** Opens another address without loading the site again. */
const open = path => {
  history.pushState(null, '', path)
  void show()
}

/** The next part of a list; undefined when another page is shown by then. */
const more = async (name, value) => {
  const mine = turn, query = new URLSearchParams(location.search)
  query.set(name, value)
  const data = await ask(`${location.pathname}?${query}`)
  if (mine !== turn) return undefined
  if (kinds[data.kind] && data.layout === layout && data.viewer.urn === viewer) return data
  render(data)
  return undefined
}

const say = (...text) => messages.replaceChildren(h('p', { role: 'alert' }, ...text))

const periods = { daily_limit: "today's", weekly_limit: "this week's" }
const refusals = {
  csrf: 'This page is out of date. Load it again.',
  not_connected: 'You can write to your connections only.',
  company_not_managed: "You do not manage that company's page.",
  already_connected: 'You are connected already.',
  invitation_pending: 'Your invitation is waiting already.',
  no_invitation: 'There is no such invitation any more.',
  invalid: 'The network does not accept this.',
}

/** Says why nothing was done. */
const refuse = data => {
  if (data.kind !== 'limit') return say(data.kind === 'not_found' ? 'That is gone.' : refusals[data.reason] ?? 'That did not work.')
  const { action, reason, resets_at: end } = data.limit
  if (!periods[reason]) return say('Too many requests. Try again later.')
  return say(`You have reached ${periods[reason]} limit of the network (${action}). Try again after `, h('time', { datetime: end }, new Date(end).toLocaleString()), '.')
}

const send = async (path, fields, name) => ask(path, {
  method: 'POST', headers: { 'X-CSRF-Token': token, 'X-Write-Id': name }, body: new URLSearchParams(fields),
})

/**
 * Sends a write of a button. The page changes only once the network has
 * answered: then done is called.
 */
const write = async (button, path, fields, done) => {
  const name = crypto.getRandomValues(new Uint32Array(4)).join('-')
  messages.replaceChildren()
  button.disabled = true
  button.setAttribute('aria-busy', 'true')
  let data
  try {
    data = await send(path, fields, name)
    if (data.reason === 'csrf') {
      const stale = token
      await ask('/me')
      if (token !== stale) data = await send(path, fields, name) // unless another account has signed in
    }
  } catch { /* said below */ }
  button.removeAttribute('aria-busy')
  button.disabled = false
  if (!data) return say('The network gave no clear answer. Look again to see whether it worked.')
  if (data.layout !== layout) return show()
  if (data.kind === 'applied') return done()
  if (data.kind === 'sign_in' || data.kind === 'challenge') return render(data)
  return refuse(data)
}

addEventListener('popstate', () => void show())
document.addEventListener('click', event => {
  const link = event.target.closest('a[href]')
  if (!link || link.origin !== location.origin || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
  event.preventDefault()
  open(link.pathname + link.search)
})

void show()
