import { Fault } from '../shared/fault'
import { sameAccount, type Account, type ConnectionsInput, type SearchInput } from '../shared/protocol'
import type { Actor, Company, Pages, People, PostPage, PostsList, PostsPage, Profile, Thread } from './adapter'
import { accountIn, challenged, layout, nobody } from './account'
import { fill, submit } from './forms'
import { all, attribute, flag, name, notUnderstood, text, the } from './markup'
import { accountPath, companyPath, memberPath, postPath, threadPath } from './paths'
import { peopleOf, threadOf } from './people'
import { postOf, postsOf } from './posts'
import { companyOf, profileOf } from './profile'
import { refusal, Refused, stateFault } from './states'

/** Time limit for a page of the network. */
const pageMs = 60_000

/** The network from a tab that is open on it. */
export const openPages = (): Pages => new NetworkPages()

class NetworkPages implements Pages {
  account: Account | undefined
  /** The page read last. */
  private last: Document | undefined

  async expectAccount(urn: string, start: string): Promise<void> {
    if (new URL(start, location.href).pathname !== location.pathname) throw new Fault('timeout', 'the tab has left the page of the task')
    const shown = document.querySelector<HTMLElement>('.account')?.dataset['viewer']
    const { status, html } = await this.fetch(accountPath)
    const now = accountIn(status, html)
    if (now) this.account = now
    if (!now) throw new Fault('timeout', 'the network did not say who is signed in')
    if (!now.signed_in) throw new Fault('signed_out', 'nobody is signed in to the network')
    for (const viewer of [shown, now.urn]) {
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
    const account = the(this.last ?? this.open('post'), '.account')
    if (type !== 'company') return { urn: name(account, 'data-viewer'), company: '' }
    for (const page of account.querySelectorAll('.managed > li')) {
      const urn = name(page, 'data-company'), slug = name(page, 'data-slug')
      if (company === text(page, '.name') || company === slug || company === urn) return { urn, company: slug }
    }
    throw new Fault('company_not_managed', `the account does not manage a page of "${company}"`)
  }

  async doLike(as: Actor): Promise<void> {
    const form = all(this.open('post'), 'article.post', 'form.like').find(f => attribute(f, 'data-actor') === as.urn)
    if (!form) throw notUnderstood('no button to like the post')
    if (attribute(the(form, 'button'), 'aria-pressed') === 'true') return // it is already liked: the button would remove the like
    await submit(form as HTMLFormElement)
  }

  async doComment(as: Actor, comment: string): Promise<string> {
    const form = the(this.open('post'), 'form.comment') as HTMLFormElement
    if (as.company !== '') {
      const choice = the(form, `option[data-actor="${CSS.escape(as.urn)}"]`) as HTMLOptionElement
      fill(the(form, 'select') as HTMLSelectElement, choice.value)
    }
    fill(the(form, 'textarea') as HTMLTextAreaElement, comment)
    return submit(form)
  }

  async doMessage(message: string): Promise<void> {
    const thread = the(this.open('thread'), 'section.thread')
    if (!flag(thread, 'data-can-message')) throw refusal('not_connected')
    const form = the(thread, 'form.message') as HTMLFormElement
    fill(the(form, 'textarea') as HTMLTextAreaElement, message)
    await submit(form)
  }

  async doInvite(note: string): Promise<void> {
    const page = this.open('profile')
    const profile = the(page, 'section.profile')
    const relation = attribute(profile, 'data-relation')
    if (relation === 'pending') return
    if (relation === 'connected') throw refusal('already_connected')
    if (relation === 'self') throw new Fault('invalid_input', 'the account cannot invite itself')
    const form = the(profile, 'form.invite') as HTMLFormElement
    fill(the(form, 'textarea') as HTMLTextAreaElement, note)
    try {
      await submit(form)
    } catch (failure) {
      if (!(failure instanceof Refused && failure.reason === 'invitation_pending')) throw failure
    }
  }

  /** The page of the tab, which must have that kind. */
  private open(kind: string): Document {
    this.expect(document, kind)
    return document
  }

  /** Reads a page of the expected kind as the signed-in member. */
  private async get(path: string, kind: string, signal?: AbortSignal): Promise<Document> {
    const { html } = await this.fetch(path, signal)
    const page = new DOMParser().parseFromString(html, 'text/html')
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
  private expect(page: Document, wanted: string): void {
    const { page: kind = '', layout: known } = page.body.dataset
    if (known !== layout) throw notUnderstood(`a page of layout "${known ?? ''}"`)
    const viewer = page.querySelector<HTMLElement>('.account')
    if (kind === 'sign_in') this.account = nobody
    else if (kind === 'challenge') this.account = challenged
    else if (viewer) this.account = { urn: name(viewer, 'data-viewer'), slug: name(viewer, 'data-slug'), name: attribute(viewer, 'data-name'), signed_in: true }
    if (kind === wanted) {
      if (!viewer) throw notUnderstood('a page for nobody')
      return
    }
    const state = page.querySelector<HTMLElement>('.state')?.dataset ?? {}
    throw stateFault(kind, { reason: state['reason'], action: state['action'], resetsAt: state['resetsAt'] })
      ?? notUnderstood(`a page of kind "${kind}" instead of "${wanted}"`)
  }
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
