import { Fault } from '../shared/fault'
import { sameAccount, type Account, type ConnectionsInput, type SearchInput } from '../shared/protocol'
import type { Actor, Company, Pages, People, PostPage, PostsList, PostsPage, Profile, Thread } from '../network/adapter'
import { challenged, nobody } from '../network/account'
import { fill } from '../network/forms'
import { attribute, controlOf, notUnderstood, one, pageOf, saying } from '../network/markup'
import { filterQuery } from '../network/pages'
import { companyPath, memberPath, postPath, threadPath } from '../network/paths'
import { refusal, stateFault } from '../network/states'
import { Screen, type Sight } from '../rendered/screen'
import { accountIn, accountPath } from './addresses'
import { shownOn, layoutOf } from './marks'
import { companyOf, likesOf, listOf, personOf, postOf, postPageOf, profileOf, threadOf } from './readers'

/** What the document shows now. The site states the address of a page once it shows that page. */
export function sight(page: Document): Sight {
  const fault = (kind: string, limit = {}): Sight => ({ is: 'fault', fault: stateFault(kind, limit)! })
  if (page.querySelector('#root > main form[action="/sign-in"]')) return fault('sign_in') // at another address
  const stated = page.querySelector<HTMLLinkElement>('link[rel="canonical"]')
  if (stated?.getAttribute('href') !== location.href) return { is: 'loading' }
  switch (page.querySelector('#root > main[aria-label] > h1 + p[role="alert"]')?.parentElement?.getAttribute('aria-label')) {
    case 'Security check': return fault('challenge')
    case 'Not found': return fault('not_found')
    case 'Too many requests': return fault('limit', { reason: 'rate_limited', action: 'any' })
    case 'Something went wrong': return { is: 'fault', fault: new Fault('timeout', 'the network did not answer') }
  }
  if (!layoutOf(page)) return { is: 'unknown', what: 'a page of no known layout' }
  return { is: 'shown', kind: attribute(shownOn(page).main, 'aria-label') }
}

/** The single-page network from a tab that is open on it. */
export const openPages = (): Pages => new SinglePages()

class SinglePages implements Pages {
  account: Account | undefined
  private readonly screen = new Screen(page => this.see(page))
  /** The number of entries of the shown list that were returned. */
  private returned = 0

  async expectAccount(urn: string, start: string): Promise<void> {
    const seen = this.see(document)
    if (seen.is === 'fault') throw seen.fault
    if (seen.is === 'unknown') throw notUnderstood(seen.what)
    if (seen.is === 'loading' || new URL(start, location.href).href !== location.href) throw new Fault('timeout', 'the tab has left the page of the task')
    const { me } = shownOn(document)
    const answer = await fetch(accountPath, { cache: 'no-store', signal: AbortSignal.timeout(60_000) }).catch(() => undefined)
    const now = answer && accountIn(answer.status, await answer.text())
    if (!now) throw new Fault('timeout', 'the network did not say who is signed in')
    this.account = now
    if (!now.signed_in) throw new Fault('signed_out', 'nobody is signed in to the network')
    for (const viewer of [me.urn, now.urn]) {
      if (!sameAccount(viewer, urn)) throw new Fault('signed_out', `signed in to the network as "${now.slug}", not as the account that the task is for`)
    }
  }

  async profile(ref: string): Promise<Profile> {
    await this.screen.show(memberPath(ref), 'Profile')
    return profileOf(document)
  }

  async company(ref: string): Promise<Company> {
    await this.screen.show(companyPath(ref), 'Company page')
    return companyOf(document)
  }

  async posts(list: PostsList, n: number, signal: AbortSignal): Promise<PostsPage> {
    if (n === 1) {
      await this.screen.show(...addressOf(list), signal)
      this.returned = 0
    }
    const { items, more } = await this.screen.scroll(() => listOf(shownOn(document), 'Posts'), this.returned + 1, signal)
    const shown = shownOn(document)
    const posts = items.slice(this.returned).map(item => postOf(shown, item))
    this.returned = items.length
    return { posts, more }
  }

  people(search: SearchInput): Promise<People> {
    return this.list(`/search/people?${filterQuery(search)}`, 'People', 0, amount(search.count, 25, 50))
  }

  connections({ keyword = '', sort_type: sort = '', start = 0, count = 0 }: ConnectionsInput): Promise<People> {
    return this.list(`/connections?${new URLSearchParams({ keyword, sort })}`, 'Connections', Math.max(start, 0), amount(count, 40, 100))
  }

  /** A part of a list of members. */
  private async list(address: string, kind: string, start: number, count: number): Promise<People> {
    await this.screen.show(address, kind)
    const { items, total } = await this.screen.scroll(() => listOf(shownOn(document), 'People'), start + count)
    const shown = shownOn(document)
    return { people: items.slice(start, start + count).map(item => personOf(shown, item, kind === 'Connections')), total }
  }

  async post(ref: string): Promise<PostPage> {
    await this.screen.show(postPath(ref), 'Post')
    return postPageOf(document)
  }

  async thread(ref: string): Promise<Thread> {
    await this.screen.show(threadPath(ref), 'Conversation')
    return threadOf(document)
  }

  actor(type: string | undefined, company: string | undefined): Actor {
    const { me, companies } = shownOn(document)
    if (type !== 'company') return { urn: me.urn, company: '' }
    const found = companies.find(one => company === one.name || company === one.slug || company === one.urn)
    if (!found) throw new Fault('company_not_managed', `the account does not manage a page of "${company}"`)
    return { urn: found.urn, company: found.slug }
  }

  async doLike(as: Actor): Promise<void> {
    await this.screen.shows('Post')
    const like = () => likesOf(shownOn(document)).find(one => one.urn === as.urn)
    const { button, on } = like() ?? {}
    if (!button) throw notUnderstood('no button to like the post')
    if (!on) await this.screen.press(button, () => this.refused(), () => like()?.on || undefined)
  }

  async doComment(as: Actor, comment: string): Promise<string> {
    await this.screen.shows('Post')
    const comments = () => postPageOf(document).comments
    const before = new Set(comments().map(one => one.urn))
    const button = this.write('Your comment', 'text', 'Comment', comment, as.company)
    const mine = () => comments().find(one => !before.has(one.urn) && one.authorUrn === as.urn)?.urn
    return await this.screen.press(button, () => this.refused(), mine) ?? ''
  }

  async doMessage(message: string): Promise<void> {
    await this.screen.shows('Conversation')
    const { canMessage, messages } = threadOf(document)
    if (!canMessage) throw refusal('not_connected')
    const before = new Set(messages.map(one => one.urn))
    const mine = () => threadOf(document).messages.find(one => one.mine && !before.has(one.urn))
    await this.screen.press(this.write('Your message', 'text', 'Send', message), () => this.refused(), mine)
  }

  async doInvite(note: string): Promise<void> {
    await this.screen.shows('Profile')
    switch (profileOf(document).relation) {
      case 'pending': return
      case 'connected': throw refusal('already_connected')
      case 'self': throw new Fault('invalid_input', 'the account cannot invite itself')
    }
    const pending = () => profileOf(document).relation === 'pending' || undefined
    await this.screen.press(this.write('A note, if you like', 'note', 'Connect', note), () => this.refused('invitation_pending'), pending)
  }

  async doWithdraw(): Promise<Profile> {
    await this.screen.shows('Profile')
    const profile = profileOf(document)
    if (profile.relation !== 'pending') throw refusal('no_invitation')
    const button = saying(pageOf(document), 'button', 'Withdraw')
    if (!button) throw notUnderstood('no button “Withdraw”')
    await this.screen.press(controlOf<HTMLButtonElement>(button), () => this.refused(), () => profileOf(document).relation !== 'pending' || undefined)
    return profile
  }

  /** Fills the form with a label and returns its button with those words. Some have a choice of the author, who is the member for "". */
  private write(label: string, field: 'text' | 'note', action: string, words: string, company?: string): HTMLButtonElement {
    const form = one(pageOf(document), `form[aria-label="${label}"]`)
    if (company || company === '' && shownOn(document).companies.length > 0) fill(one(form, 'select[name="actor"]'), company) // the site may remember the last choice
    fill(one(form, `textarea[name="${field}"]`), words)
    const button = saying(form, 'button', action)
    if (!button) throw notUnderstood(`no button “${action}”`)
    return controlOf<HTMLButtonElement>(button)
  }

  /** Throws the fault of a write that the site says it refused. True for a reason that counts as done. */
  private refused(done?: string): boolean {
    const alert = document.querySelector('#messages > [role="alert"]')
    const words = alert?.textContent
    if (!words) return false
    const limit = /^You have reached (today's|this week's) limit of the network \((\w+)\)/.exec(words)
    if (limit) {
      throw stateFault('limit', {
        reason: limit[1] === "today's" ? 'daily_limit' : 'weekly_limit', action: limit[2], resetsAt: alert.querySelector('time')?.getAttribute('datetime') ?? undefined,
      })!
    }
    if (words.startsWith('Too many requests')) throw stateFault('limit', { reason: 'rate_limited', action: 'any' })!
    if (words === 'That is gone.') throw stateFault('not_found', {})!
    const reason = reasons[words]
    if (reason && reason === done) return true
    throw reason ? refusal(reason) : new Fault('timeout', `the network gave no clear answer to the write: ${words}`, false)
  }

  /** Notes the account that the page shows. */
  private see(page: Document): Sight {
    const seen = sight(page)
    if (seen.is === 'shown') this.account = { ...shownOn(page).me, signed_in: true }
    else if (seen.is === 'fault' && seen.fault.code === 'signed_out') this.account = nobody
    else if (seen.is === 'fault' && seen.fault.code === 'challenge') this.account = challenged
    return seen
  }
}

/** The site's words for refused writes. */
const reasons: Record<string, string> = {
  'You can write to your connections only.': 'not_connected',
  "You do not manage that company's page.": 'company_not_managed',
  'You are connected already.': 'already_connected',
  'Your invitation is waiting already.': 'invitation_pending',
  'There is no such invitation any more.': 'no_invitation',
  'The network does not accept this.': 'invalid',
  'This page is out of date. Load it again.': 'csrf',
}

function addressOf(list: PostsList): [address: string, kind: string] {
  switch (list.of) {
    case 'member': return [`${memberPath(list.ref)}/posts`, 'Posts']
    case 'company': return [`${companyPath(list.ref)}/posts`, 'Posts']
    case 'search': return [`/search/posts?${new URLSearchParams({ q: list.keyword })}`, 'Search']
    case 'forum': return [`/forum/search?${new URLSearchParams({ q: list.keyword })}`, 'Forum']
  }
}

/** The number of entries that the network would return for a count. */
const amount = (count: number | undefined, usual: number, most: number) => count && count > 0 ? Math.min(count, most) : usual
