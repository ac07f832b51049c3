// The views of the single-page site, in two layouts: "a" has a bar and lists,
// "b" has the author below a post, tables and switches. An account always sees
// the same one. Other values are the layout of the fault "changed layout".

import { addressOf } from './app.js'
import { list } from './list.js'

/** Makes an element; a function is a listener. */
export const h = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value)
    else if (value !== undefined && value !== false) element.setAttribute(name, value)
  }
  element.append(...children.flat(2).filter(child => child !== undefined && child !== false))
  return element
}

export const number = n => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f')
export const counted = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`
const last = urn => urn.slice(urn.lastIndexOf(':') + 1)
const link = (path, ...children) => h('a', { href: addressOf(path) }, ...children)
const day = time => new Date(time).toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' })
const when = time => h('time', { datetime: time }, day(time))
const face = src => h('img', { class: '__face', src, alt: '' })

// What the two layouts write differently.
const forms = {
  a: {
    row: (label, ...texts) => h('ul', { class: '__row __soft', 'aria-label': label }, texts.map(text => h('li', {}, text))),
    facts: pairs => pairs.map(([title, value]) => h('p', { title }, value)),
    items: (label, items) => h('ul', { class: '__plain', 'aria-label': label }, items),
    item: (id, ...children) => h('li', { class: '__card', id }, ...children),
    entries: rows => h('ul', { class: '__plain' }, rows.map(cells => h('li', { class: '__row' }, cells.map(([title, cell]) => h('span', { title }, cell))))),
    pressed: 'aria-pressed',
    by: (actor, ...rest) => h('header', { class: '__by' }, face(actor.image), link(actor.path, actor.name), h('p', { class: '__soft' }, actor.headline), ...rest),
    post: (label, by, body, rest) => h('article', { class: '__card', 'aria-label': label }, by, body, rest),
    posts: { role: 'feed' },
  },
  b: {
    row: (label, ...texts) => h('p', { class: '__soft', role: 'note' }, texts.join(' · ')),
    facts: pairs => h('dl', {}, pairs.map(([name, value]) => [h('dt', { class: '__soft' }, name), h('dd', {}, value)])),
    items: (label, items) => h('div', { role: 'list', 'aria-label': label }, items),
    item: (id, ...children) => h('div', { class: '__card', role: 'listitem', id }, ...children),
    entries: rows => h('table', {}, rows.map(cells => h('tr', {}, cells.map(([title, cell]) => h('td', { title }, cell))))),
    pressed: 'aria-checked',
    by: (actor, ...rest) => h('footer', { class: '__by' }, ...rest, link(actor.path, actor.name), h('small', { class: '__soft' }, actor.headline), face(actor.image)),
    post: (label, by, body, rest) => h('div', { class: '__card', role: 'article', 'aria-label': label }, body, rest, by),
    posts: { role: 'region' },
  },
}

/** A text field with its button; sent is called with the button and the fields. */
const field = (label, name, limit, button, optional, viewer, sent) => {
  const send = h('button', { disabled: optional ? undefined : '' }, button)
  const text = h('textarea', { name, maxlength: limit, rows: 2, 'aria-label': label, placeholder: label, input: () => { send.disabled = !optional && text.value.trim() === '' } })
  const as = viewer?.companies.length > 0 && h('select', { name: 'actor', 'aria-label': 'as' },
    h('option', { value: '' }, viewer.name), viewer.companies.map(({ slug, name: firm }) => h('option', { value: slug }, firm)))
  const submit = event => {
    event.preventDefault()
    sent(send, new FormData(event.target))
  }
  return h('form', { 'aria-label': label, submit }, text, as, send)
}

const like = (ui, p, slug, urn, label) => {
  const button = h('button', {
    role: ui.pressed === 'aria-checked' && 'switch', [ui.pressed]: String(p.liked_by?.includes(urn) ?? false),
    click: () => {
      const liked = button.getAttribute(ui.pressed) === 'true'
      void ui.write(button, `${p.path}/${liked ? 'unlike' : 'like'}`, { actor: slug }, () => button.setAttribute(ui.pressed, String(!liked)))
    },
  }, label)
  return button
}

/** What a post is, for those who hear the page. */
const labelOf = ({ type, images = [], videos = [] }) =>
  images.length > 0 ? `Post with ${counted(images.length, 'picture')}` : videos.length > 0 ? `Post with ${counted(videos.length, 'video')}` : { article: 'Article', poll: 'Poll' }[type] ?? 'Post'

export const post = (ui, p, whole, label = labelOf(p)) => {
  const social = p.path.startsWith('/posts/')
  const body = [
    h('div', { dir: 'auto' }, p.content),
    p.images?.map(src => h('figure', {}, h('img', { class: '__picture', src, alt: p.image_text ?? '' }), p.image_text && h('figcaption', {}, p.image_text))),
    p.videos?.map(src => h('p', {}, h('a', { href: src }, 'Play the video'))),
    (p.type === 'article' || p.type === 'poll') && h('em', {}, p.type === 'poll' ? 'Poll' : 'Article'),
  ].filter(Boolean)
  const companies = whole ? ui.viewer.companies : []
  const rest = [
    ui.row('Activity', counted(p.likes, 'like'), counted(p.comments, 'comment'), counted(p.shares, 'share')),
    social && h('p', { class: '__row', role: 'group', 'aria-label': 'Actions' }, like(ui, p, '', ui.viewer.urn, 'Like'), companies.map(firm => like(ui, p, firm.slug, firm.urn, `Like as ${firm.name}`))),
  ].filter(Boolean)
  return ui.post(label, ui.by(p.author, link(p.path, when(p.posted_at))), body, rest)
}

/** A post that stands among others because somebody pays for it. */
export const advert = (ui, p) => {
  const element = post(ui, p, false, 'Promoted')
  element.prepend(h('p', { class: '__soft' }, 'Promoted'))
  return element
}

const ordinals = ['', '1st', '2nd', '3rd']

export const person = (ui, p) => ui.item(undefined,
  ui.by({ ...p, path: `/in/${p.slug}` }, h('address', { class: '__soft' }, p.location), h('b', {}, ordinals[p.degree])),
  p.connected_at && h('p', { class: '__soft' }, 'Connected since ', when(p.connected_at)))

export const firm = (ui, c) => ui.item(undefined, ui.by(c))

/** The parts of a text, or that there are none. */
const all = (ui, label, items, none) => items.length > 0 ? ui.items(label, items) : h('p', { role: 'status' }, none)

const remark = (ui, c) => ui.item(`comment-${last(c.urn)}`, ui.by(c.author, when(c.posted_at)), h('div', { dir: 'auto' }, c.text))

const discussion = (ui, { post: p, comments = [] }) => [
  post(ui, p, true),
  h('h2', {}, `Comments (${comments.length} of ${p.comments})`),
  all(ui, 'Comments', comments.map(c => remark(ui, c)), 'Nobody has commented yet.'),
  p.path.startsWith('/posts/') && field('Your comment', 'text', 1250, 'Comment', false, ui.viewer, (button, sent) => ui.write(button, `${p.path}/comment`, sent, ui.show)),
]

const stay = { year: 'numeric', month: 'short', timeZone: 'UTC' }
const month = (year, m) => year ? h('time', { datetime: m ? `${year}-${String(m).padStart(2, '0')}` : year }, m ? new Date(Date.UTC(year, m - 1)).toLocaleDateString('en-GB', stay) : year) : 'today'
const span = (from, to) => h('span', {}, from, ' – ', to)
const section = (label, ...children) => h('section', { class: '__card', 'aria-label': label }, h('h2', {}, label), ...children)
/** A section that states how many entries it has. */
const entries = (label, items, view) => h('section', { class: '__card', 'aria-label': label }, h('h2', {}, `${label} (${items.length})`), view(items))
const chips = texts => h('ul', { class: '__row' }, texts.map(text => h('li', {}, text)))

/** The buttons of a relation: to invite, to withdraw, to write, to answer. */
const relation = (ui, p) => {
  const act = (label, verb) => h('button', { click: event => ui.write(event.target, `/in/${p.slug}/${verb}`, {}, ui.show) }, label)
  return [
    p.invites && [act('Accept the invitation', 'accept'), act('Ignore it', 'decline')],
    p.relation === 'connected' && h('p', {}, link(`/messages/${p.slug}`, 'Message')),
    p.relation === 'pending' && h('p', {}, 'Your invitation is waiting. ', act('Withdraw', 'withdraw')),
    p.relation === 'none' && field('A note, if you like', 'note', 300, 'Connect', true, undefined, (button, sent) => ui.write(button, `/in/${p.slug}/invite`, sent, ui.show)),
  ].filter(Boolean)
}

const profile = (ui, { profile: p }) => [
  h('section', { class: '__card', 'aria-label': 'Person' }, face(p.image), h('h1', {}, p.name), ui.facts([['Headline', p.headline], ['Location', p.location]]),
    ui.row('Numbers', counted(p.connections, 'connection'), counted(p.followers, 'follower')), relation(ui, p), h('p', {}, link(`/in/${p.slug}/posts`, 'Posts'))),
  section('About', h('p', { dir: 'auto' }, p.about)),
  entries('Experience', p.positions.map(one => [
    ['Title', one.title], ['Company', link(`/company/${one.company_slug}`, one.company_name)], ['Place', one.location],
    ['Time', span(month(one.start_year, one.start_month), month(one.end_year, one.end_month))],
  ]), ui.entries),
  entries('Education', p.education.map(one => [
    ['School', one.school], ['Degree', one.degree], ['Field', one.field], ['Time', span(month(one.start_year), month(one.end_year))],
  ]), ui.entries),
  entries('Skills', p.skills, chips),
]

const company = (ui, { company: c }) => [
  h('section', { class: '__card', 'aria-label': 'Company' }, face(c.logo), h('h1', {}, c.name), ui.facts([['Industry', c.industry], ['Headquarters', c.headquarters]]),
    ui.row('Numbers', counted(c.followers, 'follower'), counted(c.employee_count, 'employee')), h('p', {}, link(`/company/${c.slug}/posts`, 'Posts')),
    h('a', { href: c.website, rel: 'noreferrer' }, c.website)),
  section('About', h('p', { dir: 'auto' }, c.description)),
  entries('Specialties', c.specialties, chips),
]

const letter = (ui, person, m) => ui.item(`message-${last(m.urn)}`,
  ui.by(m.mine ? { name: 'You', headline: '', path: `/in/${ui.viewer.slug}`, image: ui.faceOf(ui.viewer.urn) } : { ...person, headline: '', path: `/in/${person.slug}` }, when(m.sent_at)),
  h('div', { dir: 'auto' }, m.text))

const thread = (ui, { thread: { with: person, can_message: can, messages } }) => [
  h('section', { class: '__card', 'aria-label': 'Person' }, face(person.image), h('h1', {}, link(`/in/${person.slug}`, person.name))),
  h('h2', {}, `Messages (${messages.length})`),
  all(ui, 'Messages', messages.map(m => letter(ui, person, m)), 'There are no messages yet.'),
  can ? field('Your message', 'text', 10000, 'Send', false, undefined, (button, sent) => ui.write(button, `/messages/${person.slug}`, sent, ui.show))
    : h('p', { role: 'note' }, 'You can write to your connections only.'),
]

const threads = (ui, { people = [] }) => [h('h1', {}, 'Messages'), all(ui, 'Conversations', people.map(p => ui.item(undefined, link(`/messages/${p.slug}`, p.name), ' ', p.last?.text)), 'There are no messages yet.')]

const invitations = (ui, { invitations: sent = [], received = [] }) => [
  h('h1', {}, 'Invitations'),
  all(ui, 'Received', received.map(one => ui.item(undefined, link(`/in/${one.from.slug}`, one.from.name), ' ', one.note)), 'Nobody has invited you.'),
  all(ui, 'Sent', sent.map(one => ui.item(undefined, link(`/in/${one.to.slug}`, one.to.name), ' ', one.note)), 'You have invited nobody.'),
]

const feed = (ui, data) => [field('Write a post', 'text', 3000, 'Post', false, ui.viewer, (button, sent) => ui.write(button, '/posts', sent, ui.show)), ...list(ui, data)]

/** The kinds of pages: the label of each and its view. */
export const kinds = {
  feed: ['Feed', feed], posts: ['Posts', list], search: ['Search', list], forum: ['Forum', list],
  people: ['People', list], connections: ['Connections', list], companies: ['Companies', list],
  post: ['Post', discussion], profile: ['Profile', profile], company: ['Company page', company],
  messages: ['Messages', threads], thread: ['Conversation', thread], invitations: ['Invitations', invitations],
}

const signIn = () => h('main', {}, h('h1', {}, 'Sign in'),
  h('p', {}, 'Give the name of your profile as it stands in its address. A new name makes a new member.'),
  h('form', { method: 'post', action: '/sign-in' }, h('input', { type: 'hidden', name: 'next', value: new URLSearchParams(location.search).get('next') ?? '' }),
    h('input', { name: 'slug', 'aria-label': 'Profile name', required: '', maxlength: 100, autocomplete: 'username' }), h('button', {}, 'Sign in')))

const note = (title, text) => h('main', { 'aria-label': title }, h('h1', {}, title), h('p', { role: 'alert' }, text))

const states = {
  sign_in: signIn,
  challenge: () => note('Security check', 'Please show that you are human before you go on.'),
  failed: () => note('Something went wrong', 'The network did not answer. Load the page again.'),
}

const frame = (ui, body) => {
  const links = [['/feed', 'Feed'], ['/search/people', 'People'], ['/search/posts', 'Posts'], ['/forum', 'Forum'], ['/connections', 'Connections'], ['/messages', 'Messages'], ['/invitations', 'Invitations']]
  const nav = h('nav', { class: '__row', 'aria-label': 'Network' }, links.map(([path, text]) => link(path, text)))
  const me = h('div', { class: '__me', role: 'group', 'aria-label': 'Me' }, face(ui.faceOf(ui.viewer.urn)), link(`/in/${ui.viewer.slug}`, ui.viewer.name),
    h('ul', { class: '__row', 'aria-label': `My pages (${ui.viewer.companies.length})` }, ui.viewer.companies.map(one => h('li', {}, face(one.image), link(one.path, one.name)))),
    h('form', { method: 'post', action: '/sign-out' }, h('button', {}, 'Sign out')))
  return ui.layout === 'b' ? [body, h('aside', { class: '__side' }, nav, me)] : [h('header', { class: '__bar' }, nav, me), body]
}

/** Takes all names and roles away, as a redesign does. */
const redesigned = elements => elements.map(element => {
  const plain = h('div', {}, ...element.childNodes)
  for (const one of plain.querySelectorAll('*')) for (const name of ['aria-label', 'role', 'aria-pressed']) one.removeAttribute(name)
  return plain
})

/** The elements of a page. */
export const draw = (data, actions) => {
  if (states[data.kind]) return [states[data.kind]()]
  const form = forms[data.layout] ?? forms.a
  const faceOf = urn => `/media/${urn.includes(':company:') ? 'companies' : 'members'}/${last(urn)}.svg`
  const ui = { ...actions, ...form, layout: data.layout, viewer: data.viewer, faceOf }
  const [label, view] = kinds[data.kind] ?? []
  const body = view ? h('main', { 'aria-label': label }, view(ui, data).filter(Boolean))
    : data.kind === 'limit' ? note('Too many requests', 'Try again later.') : note('Not found', 'There is nothing here.')
  const page = frame(ui, body)
  return forms[data.layout] ? page : redesigned(page)
}
