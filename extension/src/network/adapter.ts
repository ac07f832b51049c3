// The interface of a network for the extension. One adapter serves one network:
//
//	Addresses  addresses, and the signed-in account from a response; without a
//	           page, because the worker has no DOM
//	Pages      the contents of pages, and a member's actions on them
//
// src/network is the adapter of a site whose server renders the pages,
// src/single_page that of a site that renders in the browser, with the tools of
// src/rendered. A build has both, or the one of build.mjs --adapter.
//
// (ADAPTER.md explains how to write another.)
//
// The rest of the extension uses only this file. Methods that read fail with a
// Fault: signed_out, challenge, not_found, network_limit (with slowDown when the
// network names no limit that is used up, as with 429), timeout (no answer, or
// 5xx), page_not_understood for an unknown layout. An unknown layout is never
// reported as "no data".

import type { Account, Post, SearchInput, ConnectionsInput, TaskType } from '../shared/protocol'

/** The part of an adapter that needs no page. */
export interface Addresses {
  /** Path of a light response that states the signed-in account. */
  readonly accountPath: string
  /** The origins of the network's pages, given that of its main pages, which comes first. */
  originsOf(network: string): string[]
  /**
   * Address of the page on which a task begins: a path, or an address at one of
   * the origins. Writes act on this page. Built only from escaped slugs and
   * URNs. Fault invalid_input when the input has no reference.
   */
  startOf(type: TaskType, input: unknown, network: string): string
  /**
   * The account signed in according to the response at accountPath; undefined
   * when the response does not show it (limits, errors, an unknown layout).
   * Behind a challenge the member counts as signed out, and challenge is true.
   */
  accountIn(status: number, body: string): Account | undefined
}

/** The actor of a like or comment. */
export interface Actor {
  urn: string
  /** Slug of the company page, "" for the member. */
  company: string
}

export interface Profile {
  urn: string
  slug: string
  url: string
  name: string
  headline: string
  location: string
  about: string
  connections: number
  followers: number
  positions: Position[]
  education: Education[]
  skills: string[]
  relation: 'self' | 'none' | 'pending' | 'connected'
}

/** A job; a zero year or month means that the page shows none. */
export interface Position {
  title: string
  company_name: string
  company_slug: string
  location: string
  start_year: number
  start_month: number
  end_year: number
  end_month: number
  is_current: boolean
}

export interface Education {
  school: string
  degree: string
  field: string
  start_year: number
  end_year: number
}

export interface Company {
  urn: string
  slug: string
  name: string
  industry: string
  description: string
  employee_count: number
  headquarters: string
  website: string
  followers: number
  logo_url: string
  specialties: string[]
}

export interface Person {
  name: string
  headline: string
  location: string
  profile_slug: string
  profile_urn: string
  degree: number
  connected_at?: string
}

export interface People {
  people: Person[]
  total: number
}

/** The next part of a list of posts, newest first. */
export interface PostsPage {
  posts: Post[]
  /** Whether there are more. */
  more: boolean
}

/** The list that posts are read from. */
export type PostsList =
  | { of: 'member'; ref: string }
  | { of: 'company'; ref: string }
  | { of: 'search'; keyword: string }
  | { of: 'forum'; keyword: string }

export interface PostPage {
  urn: string
  url: string
  content: string
  author: { name: string; url: string }
  /** The URNs of the possible actors who like it. */
  likedBy: string[]
  comments: { urn: string; authorUrn: string; text: string }[]
}

export interface Thread {
  /** The other person. */
  person: { name: string; url: string }
  canMessage: boolean
  messages: { urn: string; text: string; mine: boolean }[]
}

/**
 * The pages of the network, from a tab that is open on it. Reads show the
 * pages as the signed-in member sees them and change nothing at the network; `ref` is a slug, a URN, a
 * bare id or an address. The do… methods use the open page's own forms and
 * buttons, so that the site's code makes the request. They return when the page
 * shows that the write was applied. A Fault with sure: false means that the
 * outcome is unknown.
 */
export interface Pages {
  /** The signed-in account according to the pages read so far. */
  readonly account: Account | undefined

  /**
   * Checks that the open page is the one at the address start, and that a write
   * on it would act as the account with that URN, using the page itself and a
   * freshly fetched response. Fault timeout when the tab shows another page,
   * signed_out when another account would act.
   */
  expectAccount(urn: string, start: string): Promise<void>
  profile(ref: string): Promise<Profile>
  company(ref: string): Promise<Company>
  /** Part n of a list, from 1; a caller asks for one after the other. */
  posts(list: PostsList, n: number, signal: AbortSignal): Promise<PostsPage>
  people(search: SearchInput): Promise<People>
  connections(search: ConnectionsInput): Promise<People>
  post(ref: string): Promise<PostPage>
  thread(ref: string): Promise<Thread>
  /**
   * The member, or the company page with that title, slug or URN, from the page
   * read last (before any, the open one): Fault company_not_managed.
   */
  actor(type: string | undefined, company: string | undefined): Actor

  doLike(as: Actor): Promise<void>
  /** Returns the URN of the comment. */
  doComment(as: Actor, text: string): Promise<string>
  doMessage(text: string): Promise<void>
  /** A pending invitation counts as sent. */
  doInvite(note: string): Promise<void>
  /** Withdraws the pending invitation and returns the member who had it. Fault not_invited if none is pending. */
  doWithdraw(): Promise<Profile>
}
