import { Fault } from '../shared/fault'
import type { Post } from '../shared/protocol'
import type { Company, Education, Person, Position, PostPage, Profile, Thread } from '../network/adapter'
import { agree, attribute, controlOf, entries, exactly, flag, maybe, moment, notUnderstood, one, period, saying, text, word, type Part } from '../network/markup'
import type { LazyList } from '../rendered/screen'
import { addressOf, authorOf, countsOf, items, numberOf, section, shownOn, slugOf, stated, urlOf, urnOf, type Shown } from './marks'

/** A member's page. */
export function profileOf(page: Document): Profile {
  const { marks, main, me } = shownOn(page)
  const person = section(main, 'Person')
  const [headline, location] = marks.facts(person, 'Headline', 'Location') as [string, string]
  const [connections, followers] = countsOf(one(person, marks.numbers), marks, 'connection', 'follower') as [number, number]
  const urn = urnOf(one(person, 'img'))
  return {
    urn, ...homeOf(person), name: text(one(person, 'h1')), headline, location, about: aboutOf(main), connections, followers,
    positions: rows(main, 'Experience', marks.rows).map(positionOf), education: rows(main, 'Education', marks.rows).map(educationOf),
    skills: chips(main, 'Skills'), relation: relationOf(person, urn === me.urn),
  }
}

const aboutOf = (main: Part) => text(one(section(main, 'About'), ':scope > p'))

/** Address and slug of a person or company, by the link to the posts; the page may be open at another address. */
function homeOf(element: Part): { url: string; slug: string } {
  const [, url, slug] = /^(.*\/([^/]+))\/posts$/.exec(urlOf(one(element, 'a[href$="/posts"]'))) ?? []
  if (!url || !slug) throw notUnderstood('no link to the posts')
  return { url, slug }
}

/** The rows of a section, as many as its heading states. */
function rows(main: Part, label: string, mark: string): Part[] {
  const table = section(main, label)
  return exactly(table, mark, stated(text(one(table, 'h2')), label).shown)
}

/** The texts of a section, as many as its heading states. */
function chips(main: Part, label: string): string[] {
  const list = section(main, label)
  return entries(one(list, 'ul'), 'li', stated(text(one(list, 'h2')), label).shown).map(each => text(each))
}

const cell = (row: Part, title: string) => one(row, `:scope > [title="${title}"]`)
const periodOf = (row: Part) => period(one(cell(row, 'Time'), ':scope > span'), 'today')

function positionOf(row: Part): Position {
  const { from, to, open } = periodOf(row)
  const company = one(cell(row, 'Company'), ':scope > a')
  return {
    title: text(cell(row, 'Title')), company_name: text(company), company_slug: slugOf(company), location: text(cell(row, 'Place')),
    is_current: open, start_year: from[0], start_month: from[1], end_year: to[0], end_month: to[1],
  }
}

function educationOf(row: Part): Education {
  const { from, to } = periodOf(row)
  return { school: text(cell(row, 'School')), degree: text(cell(row, 'Degree')), field: text(cell(row, 'Field')), start_year: from[0], end_year: to[0] }
}

/** The relation that the controls of a person's page show: exactly one of them is there. */
function relationOf(person: Part, self: boolean): Profile['relation'] {
  const shown = { self, connected: saying(person, 'a', 'Message'), pending: saying(person, 'button', 'Withdraw'), none: maybe(person, 'textarea[name="note"]') }
  const found = (['self', 'connected', 'pending', 'none'] as const).filter(relation => shown[relation])
  if (found.length !== 1) throw notUnderstood(`a relation of ${found.length} kinds`)
  return found[0]!
}

/** A company's page. */
export function companyOf(page: Document): Company {
  const { marks, main } = shownOn(page)
  const company = section(main, 'Company'), logo = one(company, 'img')
  const [industry, headquarters] = marks.facts(company, 'Industry', 'Headquarters') as [string, string]
  const [followers, employees] = countsOf(one(company, marks.numbers), marks, 'follower', 'employee') as [number, number]
  return {
    urn: urnOf(logo), slug: homeOf(company).slug, name: text(one(company, 'h1')), industry, headquarters,
    description: aboutOf(main), followers, employee_count: employees,
    website: attribute(one(company, 'a[rel="noreferrer"]'), 'href'), logo_url: urlOf(logo, 'src'), specialties: chips(main, 'Specialties'),
  }
}

/** The loaded entries of a lazy list, by the numbers above it, and whether it goes on, by the words at its end. */
export function listOf({ main, marks }: Shown, label: 'Posts' | 'People'): LazyList<Part> & { total: number } {
  const words = text(one(main, ':scope > p')), [shown, total] = label === 'Posts' ? partOfList(words, 'post', 'posts') : partOfList(words, 'person', 'people')
  const list = entries(one(main, `:scope > [aria-label="${label}"]`), label === 'Posts' ? marks.post : marks.item, shown, '[aria-label="Promoted"]')
  const end = one(main, ':scope > div:last-of-type > :is([role="progressbar"], [role="status"], [role="alert"])')
  const more = word(end, 'role', ['progressbar', 'status', 'alert'])
  if (more === 'alert') throw new Fault('timeout', 'the next entries of a list did not load')
  if (more === 'progressbar') return { items: list, more: true, total }
  if ((text(end) === 'That is all.') !== list.length > 0 || shown < total) throw notUnderstood('a list whose end does not fit its entries')
  return { items: list, more: false, total }
}

/** The numbers of words such as "20 of 57 posts". */
function partOfList(words: string, unit: string, many: string): [shown: number, total: number] {
  const [shown, total] = words.split(' of ', 2).map(part => numberOf(part.includes(' ') ? part : `${part} ${unit}`, unit, many))
  if (shown === undefined || total === undefined) throw notUnderstood(`"${words}" is no number of ${many}`)
  return [shown, total]
}

/** What a post is, by its label. */
const kinds = {
  Post: { type: 'text', pictures: 0, videos: 0 }, Article: { type: 'article', pictures: 0, videos: 0 }, Poll: { type: 'poll', pictures: 0, videos: 0 },
  'Post with 1 picture': { type: 'image', pictures: 1, videos: 0 }, 'Post with 1 video': { type: 'video', pictures: 0, videos: 1 },
}

/** A post of a list; missing fields are left out. */
export function postOf({ marks }: Shown, element: Part): Post {
  const author = authorOf(element, marks)
  const link = one(author.by, ':scope > a:has(time)')
  const id = /^\/(posts|forum)\/.*?(\d+)$/.exec(addressOf(link).pathname)
  if (!id) throw notUnderstood('a post without address')
  const [likes, comments, shares] = countsOf(one(element, marks.activity), marks, 'like', 'comment', 'share') as [number, number, number]
  const { type, pictures, videos } = kinds[word(element, 'aria-label', Object.keys(kinds) as (keyof typeof kinds)[])]
  const images = exactly(element, 'figure img', pictures), players = exactly(element, 'a[href^="/media/videos/"]', videos)
  const caption = maybe(element, 'figcaption')
  for (const image of images) agree(caption ? text(caption) : '', attribute(image, 'alt'), 'the text of a picture')
  return {
    urn: `urn:network:${id[1] === 'forum' ? 'forum' : 'activity'}:${id[2]}`, url: urlOf(link), content: contentOf(element), posted_at: moment(one(link, 'time')),
    author_name: author.name, author_url: author.url, author_urn: author.urn, author_headline: text(one(author.by, marks.headline)), author_image_url: author.image,
    likes_count: likes, comments_count: comments, shares_count: shares, post_type: type,
    ...pictures > 0 && { image_urls: images.map(image => urlOf(image, 'src')) }, ...caption && { image_text: text(caption) },
    ...videos > 0 && { videos: players.map(video => urlOf(video)) },
  }
}

const contentOf = (element: Part) => text(one(element, ':scope > div[dir]'))

const ordinals = ['', '1st', '2nd', '3rd']

/** A member of a list; connections state since when. */
export function personOf({ marks }: Shown, element: Part, connection: boolean): Person {
  const { by, link, name, urn } = authorOf(element, marks)
  const degree = ordinals.indexOf(text(one(by, ':scope > b')))
  if (degree < 0) throw notUnderstood('a person at an unknown distance')
  return {
    name, headline: text(one(by, marks.headline)), location: text(one(by, ':scope > address')), profile_slug: slugOf(link), profile_urn: urn, degree,
    ...connection && { connected_at: moment(one(element, 'time')) },
  }
}

/** The buttons to like a post: one for each actor, each with its own state. */
export function likesOf({ marks, main, me, companies }: Shown): { urn: string; button: HTMLButtonElement; on: boolean }[] {
  const actions = one(one(main, `:scope > ${marks.post}`), '[role="group"][aria-label="Actions"]')
  exactly(actions, 'button', 1 + companies.length)
  return [{ urn: me.urn, label: 'Like' }, ...companies.map(({ urn, name }) => ({ urn, label: `Like as ${name}` }))].map(({ urn, label }) => {
    const button = saying(actions, 'button', label)
    if (!button) throw notUnderstood(`no button "${label}"`)
    return { urn, button: controlOf<HTMLButtonElement>(button), on: flag(button, marks.pressed) }
  })
}

/** A post's own page, with its comments, oldest first. */
export function postPageOf(page: Document): PostPage {
  const shown = shownOn(page)
  const { urn, url, content, author_name: name, author_url: author, comments_count: all } = postOf(shown, one(shown.main, `:scope > ${shown.marks.post}`))
  const comments = stated(text(one(shown.main, ':scope > h2')), 'Comments')
  agree(comments.total, all, 'the number of comments')
  return {
    urn, url: url!, content, author: { name: name!, url: author! },
    likedBy: likesOf(shown).filter(like => like.on).map(like => like.urn),
    comments: items(shown, 'Comments', comments.shown, 'Nobody has commented yet.').map(each =>
      ({ urn: idOf(each, 'comment'), authorUrn: authorOf(each, shown.marks).urn, text: contentOf(each) })),
  }
}

function idOf(element: Part, kind: string): string {
  const found = new RegExp(`^${kind}-(\\d+)$`).exec(attribute(element, 'id'))
  if (!found) throw notUnderstood(`a ${kind} without id`)
  return `urn:network:${kind}:${found[1]}`
}

/** The messages with one member. */
export function threadOf(page: Document): Thread {
  const shown = shownOn(page), { marks, main, me } = shown
  const link = one(section(main, 'Person'), ':scope > h1 > a')
  const writable = maybe(main, ':scope > form[aria-label="Your message"]') !== undefined
  const note = maybe(main, ':scope > p[role="note"]')
  if (writable ? note : !note || text(note) !== 'You can write to your connections only.') throw notUnderstood('neither a form nor a reason')
  const { shown: count } = stated(text(one(main, ':scope > h2')), 'Messages')
  return {
    person: { name: text(link), url: urlOf(link) }, canMessage: writable,
    messages: items(shown, 'Messages', count, 'There are no messages yet.').map(each =>
      ({ urn: idOf(each, 'message'), text: contentOf(each), mine: authorOf(each, marks).urn === me.urn })),
  }
}
