// What the extension must know of a network. One adapter serves one network:
//
//	paths.ts    addresses, without a page (the worker opens tabs at them)
//	account.ts  who is signed in, from a page's text (the worker has no DOM)
//	pages.ts    the pages: what they show, and what a member can do on them
//
// (ADAPTER.md tells how to write another.)
//
// Everything else of the extension is written against this file. Methods that
// read fail with a Fault: signed_out, challenge, not_found, network_limit,
// timeout (no answer, or 5xx), page_not_understood when a page has a form that
// the adapter does not know. An unknown form is never reported as "no data".

import type { Account, Post, SearchInput, ConnectionsInput, TaskType } from '../shared/protocol'

/** The part of an adapter that needs no page: paths.ts and account.ts. */
export interface Addresses {
  /** Path of a light page that shows who is signed in. */
  readonly accountPath: string
  /**
   * Path of the page on which a task begins; writes act on this very page.
   * Built of slugs and urns only, escaped. Fault invalid_input when the input
   * names nothing.
   */
  startOf(type: TaskType, input: unknown): string
  /**
   * Who is signed in by the answer to accountPath; undefined when the answer
   * does not tell (limits, errors, an unknown form). A challenge counts as
   * signed out.
   */
  accountIn(status: number, html: string): Account | undefined
}

/** Whom a like or comment is done as. */
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

/** One page of a list of posts, the newest first. */
export interface PostsPage {
  posts: Post[]
  /** Is there a next page? */
  more: boolean
}

/** Where posts are listed. */
export type PostsList =
  | { of: 'member'; ref: string }
  | { of: 'company'; ref: string }
  | { of: 'search'; keyword: string }
  | { of: 'forum'; keyword: string }

export interface PostPage {
  urn: string
  /** Those of the possible actors who like it, by urn. */
  likedBy: string[]
  comments: { urn: string; authorUrn: string; text: string }[]
}

export interface Thread {
  canMessage: boolean
  messages: { urn: string; text: string; mine: boolean }[]
}

/**
 * The pages of the network, seen from a tab that is open at it. Reads fetch
 * pages as the signed-in member and never change the tab's page; `ref` is a
 * slug, an urn, a bare id or an address.
 *
 * The do… methods work the open page as a member would, by its own forms and
 * buttons, so that the site's own code makes the request; they return when the
 * page shows that it was applied. A Fault with sure: false means that nobody
 * knows whether it was.
 */
export interface Pages {
  /** Who the pages read so far said is signed in. */
  readonly account: Account | undefined

  /**
   * Makes sure that a write on the open page would be done as the account of
   * that urn: by the page itself, and by a page that is fetched for it. Fault
   * signed_out when it would not.
   */
  expectAccount(urn: string): Promise<void>
  profile(ref: string): Promise<Profile>
  company(ref: string): Promise<Company>
  /** Page n (from 1) of a list. */
  posts(list: PostsList, n: number, signal: AbortSignal): Promise<PostsPage>
  people(search: SearchInput): Promise<People>
  connections(search: ConnectionsInput): Promise<People>
  post(ref: string): Promise<PostPage>
  thread(ref: string): Promise<Thread>
  /** The member, or the company page of that title, slug or urn, by the page that was read last (before any, the open one): Fault company_not_managed. */
  actor(type: string | undefined, company: string | undefined): Actor

  doLike(as: Actor): Promise<void>
  /** Returns the urn of the comment. */
  doComment(as: Actor, text: string): Promise<string>
  doMessage(text: string): Promise<void>
  /** That an invitation waits already is as good as sent. */
  doInvite(note: string): Promise<void>
}
