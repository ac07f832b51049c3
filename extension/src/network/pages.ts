import { Fault } from '../shared/fault'
import type { Account } from '../shared/protocol'
import type { Pages, Profile } from './adapter'
import { dataIn, type PageData } from './data'
import { memberPath } from './paths'

/** How long the network may take for a page. */
const pageMs = 60_000

/** The network seen from a tab that is open at it. */
export const openPages = (): Pages => new NetworkPages()

const absolute = (path: string) => path && new URL(path, location.origin).href

class NetworkPages implements Pages {
  account: Account | undefined

  async profile(ref: string): Promise<Profile> {
    const p = (await this.get(memberPath(ref), 'profile')).profile
    if (!p) throw new Fault('page_not_understood', 'a profile page without a profile')
    return {
      urn: p.urn, slug: p.slug, url: absolute(`/in/${p.slug}`), name: p.name, headline: p.headline, location: p.location, about: p.about,
      connections: p.connections, followers: p.followers,
      positions: (p.positions ?? []).map(position => ({ end_year: 0, end_month: 0, ...position })),
      education: p.education ?? [], skills: p.skills ?? [], relation: p.relation as Profile['relation'],
    }
  }

  /** Reads a page of the wanted kind as the signed-in member. */
  private async get(path: string, kind: string, signal?: AbortSignal): Promise<PageData> {
    let answer: Response, html: string
    try {
      const limit = AbortSignal.timeout(pageMs)
      answer = await fetch(path, { signal: signal ? AbortSignal.any([limit, signal]) : limit })
      html = await answer.text()
    } catch (err) {
      throw new Fault('timeout', `the network did not answer: ${String(err)}`)
    }
    if (answer.status >= 500) throw new Fault('timeout', `the network answered ${answer.status}`)
    const data = dataIn(new DOMParser().parseFromString(html, 'text/html').querySelector('#page-data')?.textContent)
    if (data.viewer) this.account = { urn: data.viewer.urn, slug: data.viewer.slug, name: data.viewer.name, signed_in: true }
    else if (data.kind === 'sign_in' || data.kind === 'challenge') this.account = { urn: '', slug: '', name: '', signed_in: false }
    this.expect(data, kind)
    return data
  }

  /** Turns a page of another kind than the wanted one into its fault. */
  private expect(data: PageData, kind: string): void {
    switch (data.kind) {
      case kind: return
      case 'sign_in': throw new Fault('signed_out', 'the account is not signed in to the network')
      case 'challenge': throw new Fault('challenge', 'the network asks for a human')
      case 'not_found': throw new Fault('not_found', 'the network does not know it')
      case 'limit': throw new Fault('network_limit', `${data.limit?.reason} of ${data.limit?.action}`)
      default: throw new Fault('page_not_understood', `a page of kind "${data.kind}" instead of "${kind}"`)
    }
  }

  company = notYet
  posts = notYet
  people = notYet
  connections = notYet
  post = notYet
  thread = notYet
  actor = notYet
  doLike = notYet
  doComment = notYet
  doMessage = notYet
  doInvite = notYet
}

const notYet = (): Promise<never> => Promise.reject(new Fault('invalid_input', 'this build cannot do that yet'))
