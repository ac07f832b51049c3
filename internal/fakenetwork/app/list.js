// Lists of the single-page site: the next part is loaded when the end of the
// list comes near the window.

import { advert, counted, firm, h, number, person, post } from './views.js'

const peopleOf = data => data.people ?? []
const postsOf = data => data.posts ?? []

// What the kinds of lists have: the label, the entries, the view of one, the
// words for their number and for an empty list.
const people = { label: 'People', entries: peopleOf, view: (ui, p) => person(ui, p), total: n => counted(n, 'person', 'people'), none: 'Nobody was found.' }
const posts = { label: 'Posts', entries: postsOf, view: (ui, p) => post(ui, p), total: n => counted(n, 'post'), none: 'There are no posts yet.' }
const found = { ...posts, none: 'Nothing was found.' }
const sorts = {
  people, connections: people, posts, feed: posts, search: found, forum: found,
  companies: { label: 'Companies', entries: data => data.companies ?? [], view: (ui, c) => firm(ui, c), total: n => counted(n, 'company', 'companies'), none: 'Nothing was found.' },
}

const keyOf = entry => entry.urn

/** Whether the element is less than a window's height below the window. */
const near = element => element.getBoundingClientRect().top < innerHeight * 2

const searchForm = (ui, data) => {
  const name = { people: 'keywords', connections: 'keyword', search: 'q', forum: 'q', companies: 'q' }[data.kind]
  if (!name) return undefined
  const path = data.kind === 'forum' ? '/forum/search' : location.pathname
  const submit = event => {
    event.preventDefault()
    ui.open(`${path}?${new URLSearchParams(new FormData(event.target))}`)
  }
  return h('form', { role: 'search', submit }, h('input', { type: 'search', name, 'aria-label': 'Search', value: new URLSearchParams(location.search).get(name) ?? '' }), h('button', {}, 'Search'))
}

/** A list that grows. */
export const list = (ui, data) => {
  const sort = sorts[data.kind]
  const first = sort.entries(data)
  const known = new Set(first.map(keyOf))
  const body = sort === people || data.kind === 'companies' ? ui.items(sort.label, []) : h('div', { ...ui.posts, 'aria-label': sort.label })
  body.append(...first.map(entry => sort.view(ui, entry)))
  if (data.promoted) body.children[0].after(advert(ui, data.promoted))
  const foot = h('div', {}), total = h('p', { class: '__soft' })
  let page = data.paging.page, open = data.paging.more, loading = false

  const end = () => {
    total.textContent = `${number(known.size)} of ${sort.total(data.paging.total)}`
    if (open) foot.replaceChildren(h('div', { role: 'progressbar', 'aria-label': 'Loading more' }, 'Loading more'))
    else foot.replaceChildren(h('p', { role: 'status' }, known.size === 0 ? sort.none : 'That is all.'))
  }

  const load = async () => {
    if (!foot.isConnected) return removeEventListener('scroll', load)
    if (!open || loading || !near(foot)) return
    loading = true
    try {
      const next = sort === people ? await ui.more('start', known.size) : await ui.more('page', page + 1)
      if (!next) return
      const fresh = sort.entries(next).filter(entry => !known.has(keyOf(entry)))
      for (const entry of fresh) known.add(keyOf(entry))
      page++
      open = next.paging.more
      body.append(...fresh.map(entry => sort.view(ui, entry)))
      end()
    } catch {
      foot.replaceChildren(h('p', { role: 'alert' }, 'The next ones could not be loaded.'))
    } finally {
      loading = false
    }
  }
  addEventListener('scroll', load)
  end()
  return [h('h1', {}, data.title), searchForm(ui, data), total, body, foot]
}
