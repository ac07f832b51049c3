// What the pages do by themselves: writes go by fetch with the token of the
// page, say in the notice how they ended, and the part of the page that they
// changed is shown anew. Without this script the pages can be read only.
'use strict'

const notice = document.querySelector('#notice')

// What a person is told when a write was done.
const done = {
  post: 'Your post is there.',
  like: 'You like this.', unlike: 'You like this no more.', comment: 'Your comment is there.', message: 'Sent.',
  invitation: 'Your invitation is on its way.', withdrawal: 'Your invitation was withdrawn.',
  acceptance: 'You are connected.', refusal: 'The invitation is gone.',
}

// say shows how a write ended. The attributes say it for scripts; data-outcome
// is set last: done, refused (nothing was changed) or unanswered.
const say = (text, attributes) => {
  for (const name of Object.keys(notice.dataset)) delete notice.dataset[name]
  notice.textContent = text
  const { outcome, ...rest } = attributes
  for (const [name, value] of Object.entries(rest)) if (value) notice.dataset[name] = value
  notice.dataset.outcome = outcome
}

const pageOf = async answer => new DOMParser().parseFromString(await answer.text(), 'text/html')

// dataOf reads the data block of a page, null when there is none.
const dataOf = page => {
  const block = page.querySelector('#page-data')
  return block && JSON.parse(block.textContent)
}

const viewerOf = page => page.querySelector('.account')?.dataset.viewer

const tokenOf = page => page.querySelector('meta[name="csrf-token"]')?.content ?? ''

const send = (address, body, name) => fetch(address, { method: 'POST', headers: { 'X-CSRF-Token': tokenOf(document), 'X-Write-Id': name }, body })

// newName names a write: a browser may send a request once more by itself when
// a connection closes, and the site then knows it again.
const newName = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')

// write sends a form. The token of a page from before another sign-in is
// refused; then a fresh one is fetched, once, unless another account is signed
// in now: the page's forms are those of the account that it was shown to.
const write = async (address, body) => {
  const name = newName()
  let page = await pageOf(await send(address, body, name))
  if (dataOf(page)?.reason === 'csrf') {
    const now = await pageOf(await fetch('/invitations'))
    if (tokenOf(now) && viewerOf(now) === viewerOf(document)) {
      document.querySelector('meta[name="csrf-token"]').content = tokenOf(now)
      page = await pageOf(await send(address, body, name))
    }
  }
  return page
}

// refresh shows the part of the page that a write changed as the network knows
// it now, and keeps the focus. data-refresh names the elements of the part by
// their ids; without names it is the element itself.
const refresh = async part => {
  if (!part) return
  let page
  try {
    page = await pageOf(await fetch(location.href))
  } catch {
    return // the notice has said what matters
  }
  for (const id of (part.dataset.refresh || part.id).split(' ')) {
    const old = document.getElementById(id)
    const fresh = page.getElementById(id)
    if (!old || !fresh) continue
    const focused = old.contains(document.activeElement) ? document.activeElement.id : ''
    old.replaceWith(fresh)
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true })
  }
  const block = page.querySelector('#page-data')
  if (block) document.querySelector('#page-data').textContent = block.textContent
  showNewest()
}

// settle marks at once what a done write changed, before the page is asked.
const settle = (form, kind) => {
  const button = form.querySelector('button')
  if (kind === 'like' || kind === 'unlike') {
    const liked = kind === 'like'
    button.setAttribute('aria-pressed', liked)
    form.dataset.write = liked ? 'unlike' : 'like'
    form.action = form.action.replace(/\/(un)?like$/, liked ? '/unlike' : '/like')
  } else if (kind === 'post' || kind === 'comment' || kind === 'message') {
    form.reset()
  } else {
    for (const field of form.elements) field.disabled = true
    return
  }
  button.disabled = false
}

document.addEventListener('submit', async event => {
  const form = event.target.closest('form[data-write]')
  if (!form) return
  event.preventDefault()
  const button = event.submitter ?? form.querySelector('button')
  if (button.disabled) return
  const kind = form.dataset.write
  const body = new URLSearchParams(new FormData(form))
  button.disabled = true
  form.setAttribute('aria-busy', 'true')
  let page, data
  try {
    page = await write(form.action, body)
    data = dataOf(page)
  } catch {
    data = null
  }
  form.removeAttribute('aria-busy')
  if (data?.kind === 'applied') {
    const part = form.closest('[data-refresh]')
    settle(form, kind)
    say(done[kind] ?? 'Done.', { outcome: 'done', write: kind, kind: data.kind, target: data.applied.target, urn: data.applied.urn })
    await refresh(part)
    return
  }
  button.disabled = false
  if (data) {
    const text = page.querySelector('main section p')?.textContent ?? 'That did not work.'
    const { action, reason = data.reason, resets_at: resetsAt } = data.limit ?? {}
    say(text, { outcome: 'refused', write: kind, kind: data.kind, reason, action, resetsAt })
    return
  }
  say('The network gave no clear answer. Load the page again to see whether it worked.', { outcome: 'unanswered', write: kind })
})

// showNewest scrolls a thread to its end.
const showNewest = () => {
  const list = document.querySelector('ul.messages')
  if (list) list.scrollTop = list.scrollHeight
}
showNewest()

// remaining tells how much room a text has left, once it gets scarce.
document.addEventListener('input', event => {
  const field = event.target
  if (!(field instanceof HTMLTextAreaElement) || field.maxLength < 0) return
  const row = field.form?.querySelector('.send')
  if (!row) return
  let left = row.querySelector('.left')
  if (!left) {
    left = document.createElement('span')
    left.className = 'left'
    row.prepend(left)
  }
  const room = field.maxLength - field.value.length
  left.textContent = room < 200 ? `${room} characters left` : ''
})

// step moves the focus to the next or previous post.
const step = by => {
  const posts = [...document.querySelectorAll('article.post')]
  if (posts.length === 0) return
  const at = posts.findIndex(post => post.contains(document.activeElement))
  const next = posts[Math.min(Math.max(at + by, 0), posts.length - 1)]
  next.focus()
  next.scrollIntoView({ block: 'center' })
}

const focusedPost = () => document.activeElement.closest?.('article.post') ?? document.querySelector('main > .narrow > article.post')

// The keys, where no text is written.
const keys = {
  '/': () => document.querySelector('input[type="search"]')?.focus(),
  j: () => step(1),
  k: () => step(-1),
  l: () => focusedPost()?.querySelector('form.like button')?.click(),
  c: () => {
    const field = document.querySelector('#write-comment')
    if (field) field.focus()
    else focusedPost()?.querySelector('.actions a.button')?.click()
  },
  Escape: () => {
    const menu = document.querySelector('.account[open]')
    if (!menu) return
    menu.open = false
    menu.querySelector('summary').focus()
  },
}

document.addEventListener('keydown', event => {
  const field = event.target
  if (field.matches?.('textarea') && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    field.form?.requestSubmit()
    return
  }
  if (event.key === 'Escape') keys.Escape()
  if (event.ctrlKey || event.metaKey || event.altKey || field.matches?.('input, textarea, select')) return
  const act = keys[event.key]
  if (!act || event.key === 'Escape') return
  event.preventDefault()
  act()
})

// The account's menu closes when one clicks elsewhere.
document.addEventListener('click', event => {
  const menu = document.querySelector('.account[open]')
  if (menu && !menu.contains(event.target)) menu.open = false
})
