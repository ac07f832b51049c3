import { Fault } from '../shared/fault'
import { sameAccount, type Account, type ConnectionsInput, type SearchInput } from '../shared/protocol'
import type { Actor, Company, Pages, People, PostPage, PostsList, PostsPage, Profile, Thread } from './adapter'
import { accountIn, challenged, layout, nobody } from './account'
import { fill, submit } from './forms'
import { attribute, flag, maybe, name, notUnderstood, one, pageOf, word, type Part } from './markup'
import { actorsOf } from './marks'
import { accountPath, companyPath, memberPath, postPath, threadPath } from './paths'
import { peopleOf, threadOf } from './people'
import { likesOf, postOf, postsOf } from './posts'
import { companyOf, profileOf } from './profile'
import { refusal, Refused, stateFault, type Limit } from './states'

/** Time limit for a page of the network. */
const pageMs = 60_000

/** The network from a tab that is open on it. */
export const openPages = (): Pages => new NetworkPages()

class NetworkPages implements Pages {
  account: Account | undefined
  /** The page read last. */
  private last: Part | undefined

  async expectAccount(urn: string, start: string): Promise<void> {
    if (new URL(start, location.href).pathname !== location.pathname) throw new Fault('timeout', 'the tab has left the page of the task')
    const shown = maybe(pageOf(document), '.account')
    const { status, html } = await this.fetch(accountPath)
    const now = accountIn(status, html)
    if (now) this.account = now
    if (!now) throw new Fault('timeout', 'the network did not say who is signed in')
    if (!now.signed_in) throw new Fault('signed_out', 'nobody is signed in to the network')
    for (const viewer of [shown && name(shown, 'data-viewer'), now.urn]) {
      if (!sameAccount(viewer, urn)) throw new Fault('signed_out', `signed in to the network as "${now.slug}", not as the account that the task is for`)
    }
  }

  async profile(ref: string): Promise<Profile> { return profileOf(await this.get(memberPath(ref), 'profile')) }

  async company(ref: string): Promise<Company> { return companyOf(await this.get(companyPath(ref), 'company')) }

  async posts(list: PostsList, n: number, signal: AbortSignal): Promise<PostsPage> {
    const query = new URLSearchParams({ page: String(n) })
    const read = async (path: string, kind: string) => postsOf(await this.get(`${path}?${query}`, kind, signal))
    switch (list.of) {
      case 'member': return read(`${memberPath(list.ref)}/posts`, 'posts')
      case 'company': return read(`${companyPath(list.ref)}/posts`, 'posts')
      case 'search':
        query.set('q', list.keyword)
        return read('/search/posts', 'search')
      case 'forum':
        query.set('q', list.keyword)
        return read('/forum/search', 'forum')
    }
  }

  async people(search: SearchInput): Promise<People> {
    const query = filterQuery(search)
    if (search.count) query.set('count', String(search.count))
    return peopleOf(await this.get(`/search/people?${query}`, 'people'))
  }

  async connections({ keyword = '', sort_type: sort = '', start = 0, count = 0 }: ConnectionsInput): Promise<People> {
    const query = new URLSearchParams({ keyword, sort, start: String(start) })
    if (count) query.set('count', String(count))
    return peopleOf(await this.get(`/connections?${query}`, 'connections'))
  }

  async post(ref: string): Promise<PostPage> { return postOf(await this.get(postPath(ref), 'post')) }

  async thread(ref: string): Promise<Thread> { return threadOf(await this.get(threadPath(ref), 'thread')) }

  actor(type: string | undefined, company: string | undefined): Actor {
    const { me, companies } = actorsOf(this.last ?? this.open('post'))
    if (type !== 'company') return { urn: me.urn, company: '' }
    const found = companies.find(page => company === page.name || company === page.slug || company === page.urn)
    if (!found) throw new Fault('company_not_managed', `the account does not manage a page of "${company}"`)
    return { urn: found.urn, company: found.slug }
  }

  async doLike(as: Actor): Promise<void> {
    const like = likesOf(this.open('post')).find(like => like.urn === as.urn)
    if (!like) throw notUnderstood('no button to like the post')
    if (!like.on) await submit(like.form) // the button of a like would remove it
  }

  async doComment(as: Actor, comment: string): Promise<string> {
    const page = this.open('post'), form = one(page, 'form.comment')
    if (as.company !== '' || actorsOf(page).companies.length > 0) { // the site may remember the last choice
      fill(one(form, 'select[name="actor"]'), attribute(one(form, `option[data-actor="${CSS.escape(as.urn)}"]`), 'value'))
    }
    fill(one(form, 'textarea[name="text"]'), comment)
    return submit(form)
  }

  async doMessage(message: string): Promise<void> {
    const thread = one(this.open('thread'), 'section.thread')
    if (!flag(thread, 'data-can-message')) throw refusal('not_connected')
    const form = one(thread, 'form.message')
    fill(one(form, 'textarea[name="text"]'), message)
    await submit(form)
  }

  async doInvite(note: string): Promise<void> {
    const page = this.open('profile'), { relation } = profileOf(page)
    if (relation === 'pending') return
    if (relation === 'connected') throw refusal('already_connected')
    if (relation === 'self') throw new Fault('invalid_input', 'the account cannot invite itself')
    const form = one(page, 'form.invite')
    fill(one(form, 'textarea[name="note"]'), note)
    try {
      await submit(form)
    } catch (failure) {
      if (!(failure instanceof Refused && failure.reason === 'invitation_pending')) throw failure
    }
  }

  async doWithdraw(): Promise<Profile> {
    const page = this.open('profile'), profile = profileOf(page)
    if (profile.relation !== 'pending') throw refusal('no_invitation')
    await submit(one(page, 'form[data-write="withdrawal"]'))
    return profile
  }

  /** The page of the tab, which must have that kind. */
  private open(kind: string): Part {
    const page = pageOf(document)
    this.expect(page, kind)
    return page
  }

  /** Reads a page of the expected kind as the signed-in member. */
  private async get(path: string, kind: string, signal?: AbortSignal): Promise<Part> {
    const { html } = await this.fetch(path, signal)
    const page = pageOf(new DOMParser().parseFromString(html, 'text/html'))
    this.expect(page, kind)
    this.last = page
    return page
  }

  private async fetch(path: string, signal?: AbortSignal): Promise<{ status: number; html: string }> {
    let status: number, html: string
    try {
      const limit = AbortSignal.timeout(pageMs)
      const answer = await fetch(path, { signal: signal ? AbortSignal.any([limit, signal]) : limit })
      status = answer.status
      html = await answer.text()
    } catch (failure) {
      throw new Fault('timeout', `the network did not answer: ${String(failure)}`)
    }
    if (status >= 500) throw new Fault('timeout', `the network answered ${status}`)
    return { status, html }
  }

  /** Records the account that a page shows, and turns a page of another kind into its fault. */
  private expect(page: Part, wanted: string): void {
    const body = one(page, 'body'), known = attribute(body, 'data-layout'), kind = attribute(body, 'data-page')
    if (known !== layout) throw notUnderstood(`a page of layout "${known}"`)
    if (kind === 'sign_in') this.account = nobody
    else if (kind === 'challenge') this.account = challenged
    else if (kind === wanted || maybe(page, '.account')) this.account = { ...actorsOf(page).me, signed_in: true }
    if (kind === wanted) return
    throw stateFault(kind, kind === 'limit' ? limitOn(one(page, '.state')) : {}) ?? notUnderstood(`a page of kind "${kind}" instead of "${wanted}"`)
  }
}

/** The limit that a page states; that of a moment has no end. */
function limitOn(state: Part): Limit {
  const reason = word(state, 'data-reason', ['daily_limit', 'weekly_limit', 'rate_limited'])
  return { reason, action: name(state, 'data-action'), ...reason !== 'rate_limited' && { resetsAt: attribute(state, 'data-resets-at') } }
}

/** The filters of a search for people, by their names in the address. */
const filters = new Set(['keywords', 'title', 'company', 'first_name', 'last_name', 'school', 'location', 'geo_urn', 'current_company', 'industry', 'past_company', 'profile_language'])

/** The filters of a search as the address has them. */
export function filterQuery(search: SearchInput): URLSearchParams {
  const query = new URLSearchParams()
  for (const [filter, value] of Object.entries(search)) {
    if (!filters.has(filter)) continue
    for (const one of Array.isArray(value) ? value as string[] : [value as string]) if (one !== '') query.append(filter, one)
  }
  return query
}
