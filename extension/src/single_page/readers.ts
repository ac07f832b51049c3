import { Fault } from '../shared/fault'
import type { Post } from '../shared/protocol'
import type { Company, Education, Person, Position, PostPage, Profile, Thread } from '../network/adapter'
import { all, notUnderstood, text, the, yearAndMonth } from '../network/markup'
import type { LazyList } from '../rendered/screen'
import { authorOf, countOf, entries, moment, section, shownOn, slugOf, textOf, urlOf, urnOf, type Shown } from './marks'

/** A member's page. */
export function profileOf(page: Document): Profile {
  const { marks, main, me } = shownOn(page)
  const person = section(main, 'Person')
  const [headline, place] = marks.facts(person)
  if (!headline || !place) throw notUnderstood('a person without headline and location')
  const urn = urnOf(the(person, 'img'))
  const numbers = marks.texts(the(person, marks.numbers))
  return {
    urn, ...homeOf(person), name: text(person, 'h1'), headline: textOf(headline), location: textOf(place),
    about: text(section(main, 'About'), 'p'), connections: countOf(numbers, 'connection'), followers: countOf(numbers, 'follower'),
    positions: rows(main, 'Experience', marks.rows).map(positionOf), education: rows(main, 'Education', marks.rows).map(educationOf),
    skills: all(section(main, 'Skills'), 'ul', 'li').map(textOf), relation: relationOf(person, urn === me.urn),
  }
}

/** Address and slug of a person or company, by the link to the posts; the page may be open at another address. */
function homeOf(element: HTMLElement): { url: string; slug: string } {
  const posts = [...element.querySelectorAll('a')].find(link => link.textContent === 'Posts')
  const [, url, slug] = /^(.*\/([^/]+))\/posts$/.exec(posts ? urlOf(posts) : '') ?? []
  if (!url || !slug) throw notUnderstood('no link to the posts')
  return { url, slug }
}

/** The rows of a section, each with its cells. */
const rows = (main: HTMLElement, label: string, selector: string) =>
  [...section(main, label).querySelectorAll(selector)].map(row => [...row.children] as HTMLElement[])

function positionOf([title, company, place, span]: HTMLElement[]): Position {
  if (!title || !company || !place || !span) throw notUnderstood('a job in another form')
  const [from, to] = months(span)
  return {
    title: textOf(title), company_name: textOf(company), company_slug: slugOf(the(company, 'a')), location: textOf(place),
    is_current: textOf(span).endsWith('today'), start_year: from[0], start_month: from[1], end_year: to[0], end_month: to[1],
  }
}

function educationOf([school, degree, field, span]: HTMLElement[]): Education {
  if (!school || !degree || !field || !span) throw notUnderstood('a school in another form')
  const [from, to] = months(span)
  return { school: textOf(school), degree: textOf(degree), field: textOf(field), start_year: from[0], end_year: to[0] }
}

/** Start and end of a time span; an end may be missing. */
function months(span: HTMLElement): [[number, number], [number, number]] {
  const start = yearAndMonth(span, 'time')
  if (start[0] === 0) throw notUnderstood('a time span without start')
  return [start, yearAndMonth(span, 'time:nth-of-type(2)')]
}

/** The relation that the controls of a person's page show: exactly one of them is there. */
function relationOf(person: HTMLElement, self: boolean): Profile['relation'] {
  const has = (selector: string, label: string) => [...person.querySelectorAll(selector)].some(one => one.textContent === label)
  const found = (['self', 'connected', 'pending', 'none'] as const).filter(relation => ({
    self, connected: has('a', 'Message'), pending: has('button', 'Withdraw'), none: person.querySelector('textarea[name="note"]') !== null,
  })[relation])
  if (found.length !== 1) throw notUnderstood(`a relation of ${found.length} kinds`)
  return found[0]!
}

/** A company's page. */
export function companyOf(page: Document): Company {
  const { marks, main } = shownOn(page)
  const company = section(main, 'Company')
  const [industry, place] = marks.facts(company)
  if (!industry || !place) throw notUnderstood('a company without industry and place')
  const numbers = marks.texts(the(company, marks.numbers))
  return {
    urn: urnOf(the(company, 'img')), slug: homeOf(company).slug, name: text(company, 'h1'), industry: textOf(industry), headquarters: textOf(place),
    description: text(section(main, 'About'), 'p'), followers: countOf(numbers, 'follower'), employee_count: countOf(numbers, 'employee'),
    website: the(company, 'a[rel="noreferrer"]').getAttribute('href') ?? '', logo_url: urlOf(the(company, 'img'), 'src'),
    specialties: all(section(main, 'Specialties'), 'ul', 'li').map(textOf),
  }
}

/** The entries of a lazy list and whether it goes on, by the page's own words at its end. */
export function listOf({ main }: Shown, label: string): LazyList {
  const list = the(main, `[aria-label="${label}"]`)
  const items = [...list.children] as HTMLElement[]
  const end = list.nextElementSibling?.firstElementChild
  switch (end?.getAttribute('role')) {
    case 'progressbar': return { items, more: true }
    case 'status':
      if ((end.textContent === 'That is all.') !== items.length > 0) throw notUnderstood('a list whose end does not fit its entries')
      return { items, more: false }
    case 'alert': throw new Fault('timeout', 'the next entries of a list did not load')
    default: throw notUnderstood('a list without an end')
  }
}

/** A post of a list; missing fields are left out. */
export function postOf({ marks }: Shown, element: HTMLElement): Post {
  const author = authorOf(element, marks)
  const link = [...author.by.querySelectorAll('a')].find(one => one.querySelector('time'))
  const id = link && /^\/(posts|forum)\/.*?(\d+)$/.exec(new URL(link.href, location.href).pathname)
  if (!link || !id) throw notUnderstood('a post without address')
  const numbers = marks.texts(the(element, marks.activity))
  const images = [...element.querySelectorAll<HTMLElement>('figure img')].map(image => urlOf(image, 'src'))
  const videos = [...element.querySelectorAll('a')].filter(one => one.textContent === 'Play the video').map(video => urlOf(video))
  const label = element.querySelector('em')?.textContent
  const caption = element.querySelector('figcaption')?.textContent
  return {
    urn: `urn:network:${id[1] === 'forum' ? 'forum' : 'activity'}:${id[2]}`, url: urlOf(link), content: contentOf(element), posted_at: moment(link, 'time'),
    author_name: author.name, author_url: author.url, author_urn: author.urn, author_headline: author.headline, author_image_url: author.image,
    likes_count: countOf(numbers, 'like'), comments_count: countOf(numbers, 'comment'), shares_count: countOf(numbers, 'share'),
    post_type: label ? label.toLowerCase() : videos.length > 0 ? 'video' : images.length > 0 ? 'image' : 'text',
    ...images.length > 0 && { image_urls: images }, ...caption && { image_text: caption }, ...videos.length > 0 && { videos },
  }
}

const contentOf = (element: HTMLElement) => text(element, 'div[dir]')

const ordinals = ['', '1st', '2nd', '3rd']

/** A member of a list. */
export function personOf({ marks }: Shown, element: HTMLElement): Person {
  const { by, link, name, urn, headline } = authorOf(element, marks)
  const degree = ordinals.indexOf(text(by, 'b'))
  if (degree < 0) throw notUnderstood('a person at an unknown distance')
  return {
    name, headline, location: text(by, 'address'), profile_slug: slugOf(link), profile_urn: urn, degree,
    ...element.querySelector('time') && { connected_at: moment(element, 'time') },
  }
}

/** The number of all members of a list. */
export const totalOf = ({ main }: Shown): number => {
  const words = text(main, ':scope > p')
  return words.endsWith(' people') ? countOf([words.replace(/people$/, 'persons')], 'person') : countOf([words], 'person')
}

/** The buttons to like a post, each with its actor. */
export function likesOf({ marks, main, me, companies }: Shown): { urn: string; button: HTMLButtonElement; on: boolean }[] {
  const found = [...the(main, marks.post).querySelectorAll<HTMLButtonElement>(`button[${marks.pressed}]`)].map(button => {
    const label = textOf(button)
    const named = companies.filter(one => label === `Like as ${one.name}`)
    if (label !== 'Like' && named.length !== 1) throw notUnderstood(`a button "${label}"`)
    return { urn: label === 'Like' ? me.urn : named[0]!.urn, button, on: button.getAttribute(marks.pressed) === 'true' }
  })
  if (found.length === 0) throw notUnderstood('no button to like the post')
  return found
}

/** A post's own page, with its comments, oldest first. */
export function postPageOf(page: Document): PostPage {
  const shown = shownOn(page)
  const { urn, url, content, author_name: name, author_url: author } = postOf(shown, the(shown.main, shown.marks.post))
  return {
    urn, url: url!, content, author: { name: name!, url: author! },
    likedBy: likesOf(shown).filter(like => like.on).map(like => like.urn),
    comments: entries(shown.main, 'Comments', 'Nobody has commented yet.').map(one =>
      ({ urn: idOf(one, 'comment'), authorUrn: authorOf(one, shown.marks).urn, text: contentOf(one) })),
  }
}

function idOf(element: HTMLElement, kind: string): string {
  const found = new RegExp(`^${kind}-(\\d+)$`).exec(element.id)
  if (!found) throw notUnderstood(`a ${kind} without id`)
  return `urn:network:${kind}:${found[1]}`
}

/** The messages with one member. */
export function threadOf(page: Document): Thread {
  const { marks, main, me } = shownOn(page)
  const link = the(section(main, 'Person'), 'h1 a')
  const writable = main.querySelector('form[aria-label="Your message"]') !== null
  if (!writable && text(main, ':scope > p[role="note"]') !== 'You can write to your connections only.') throw notUnderstood('neither a form nor a reason')
  return {
    person: { name: textOf(link), url: urlOf(link) }, canMessage: writable,
    messages: entries(main, 'Messages', 'There are no messages yet.').map(one =>
      ({ urn: idOf(one, 'message'), text: contentOf(one), mine: authorOf(one, marks).urn === me.urn })),
  }
}
