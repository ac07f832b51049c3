// The session protocol: the JSON frames between a session and the service. The
// service's side is the Go package internal/protocol; both are tested against
// the frames in internal/protocol/testdata.

import { taskTypes, type TaskType, type WriteType } from './task_types'

/** Value of `v` in a hello. */
export const VERSION = 1

// Limits and periods of the protocol.
export const MAX_FRAME = 1 << 20
export const MAX_HELLO_FRAME = 8 << 10
export const HEARTBEAT_S = 20
export const MAX_PART_POSTS = 200
export const MAX_PART_BYTES = 512 << 10
export const MAX_SCAN_POSTS = 10_000
export const SCAN_MS = 5 * 60_000
/** How long a long poll is held. */
export const POLL_MS = 25_000

/** Close codes of the socket. */
export const CLOSE_UNAUTHORISED = 4401
export const CLOSE_REPLACED = 4408

export * from './task_types'

/** Whether a session knows the type as a write. */
export const isWrite = (type: string): type is WriteType => isTaskType(type) && 'write' in taskTypes[type]
export const isTaskType = (type: string): type is TaskType => Object.hasOwn(taskTypes, type)
/** Whether the page alone shows that the write was done, so that repeating it cannot do it twice. */
export const pageDecides = (type: WriteType): boolean => taskTypes[type].write.shown

/** The error of a write that the page shows as done before it began; undefined if that is as good as done. */
export const needless = (type: WriteType): ErrorCode | undefined => (taskTypes[type].write as { needless?: ErrorCode }).needless

export type ErrorCode =
  | 'signed_out'
  | 'challenge'
  | 'page_not_understood'
  | 'network_limit'
  | 'timeout'
  | 'not_found'
  | 'not_connected'
  | 'not_invited'
  | 'company_not_managed'
  | 'invalid_input'
  | 'outcome_unknown'
  | 'internal'

/** The reported error of a failed task. */
export interface TaskError {
  code: ErrorCode
  message: string
  /** Whether the network was touched; null when the session cannot know. */
  acted: boolean | null
  /** Of network_limit: the network asked to slow down, and named no limit that is used up. */
  slow_down?: boolean
}

/** The network account that the browser is signed in to. */
export interface Account {
  urn: string
  slug: string
  name: string
  signed_in: boolean
  /** The network shows a human check instead of its pages. */
  challenge?: boolean
}

/** Whether two URNs name the same account, regardless of case. */
export const sameAccount = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && a !== '' && a.toLowerCase() === b?.toLowerCase()

export type State = 'received' | 'acting' | 'done'

export interface JournalTask {
  task: string
  lease: string
  attempt: number
  state: State
}

export interface RunningTask {
  task: string
  lease: string
}

export interface Hello {
  type: 'hello'
  v: number
  /** Empty on a long poll, whose token is in a header. */
  token: string
  boot: string
  journal: string
  version: string
  account: Account
  browser?: Browser
  tasks: JournalTask[]
  pace?: Pace
  /** The writes about which the member is asked. */
  asking?: string[]
}

/** When, how fast and with whose consent the member wants writes to be done. */
export interface Pace {
  /** Absent: at any time. */
  hours?: Hours
  /** Bounds of the random pause between two writes, in seconds. */
  pause_s?: { from: number; until: number }
  /** The member is asked before each. */
  ask?: boolean
}

/** A part of the day: "09:00" to "17:30"; "24:00" is the end of the day. */
export interface Hours {
  from: string
  until: string
  /** "monday" to "sunday"; absent: every day. */
  days?: string[]
  /** Of the IANA database. */
  time_zone: string
}

/** The environment of a session. */
export interface Browser {
  name: string
  version: string
  os: string
  label: string
}

export interface Heartbeat {
  type: 'heartbeat'
  account: Account
  running: RunningTask[]
  /** Absent: as before. */
  pace?: Pace
  asking?: string[]
}

export interface Part {
  type: 'part'
  task: string
  lease: string
  attempt: number
  seq: number
  output: { posts: Post[] }
}

export interface Result {
  type: 'result'
  task: string
  lease: string
  attempt: number
  output?: unknown
  error?: TaskError
}

export interface Released {
  type: 'released'
  task: string
  lease: string
  reason: string
}

export type FromSession =
  | Hello
  | Heartbeat
  | { type: 'accepted'; task: string; lease: string }
  | { type: 'acting'; task: string; lease: string }
  /** The member confirms that Watchpost works as this account from now on. */
  | { type: 'bind'; account: Account }
  /** The member asks that what the network's answers have stopped is tried now. */
  | { type: 'retry' }
  | Part
  | Result
  | Released

export interface Welcome {
  type: 'welcome'
  session?: string
  /** The member of the session. */
  member?: SignInReply['member']
  heartbeat_s?: number
  lease_s?: number
  server_time?: string
}

export interface Assignment {
  type: 'task'
  task: string
  lease: string
  attempt: number
  task_type: string
  input: unknown
  deadline?: string
  /** The service was restored from a backup: a comment or message may have been done since the backup. */
  restored?: boolean
}

/** The reason why the service gives a session no tasks, or none of some types. */
export type BlockedReason =
  | 'signed_out'
  | 'challenge'
  | 'page_not_understood'
  | 'network_limit'
  | 'account_in_use'
  | 'other_account'
  | 'released'
  | 'new_claim'
  | 'plan'
  | 'member_pace'

export interface Blocked {
  reason: BlockedReason
  /** Absent: all task types. */
  task_types?: string[]
  /** RFC 3339; absent: until another change. */
  until?: string
  /** The member may have it tried again before. */
  retry?: boolean
}

/** Use of one allowance by the account, in all browsers together. */
export interface AllowanceState {
  action: string
  used: number
  limit: number
  resets_at: string
}

/** The service's view of this session. */
export interface Status {
  type: 'status'
  /**
   * The account that the member works as, absent before one is bound; signed_in:
   * whether this session is signed in to it.
   */
  account?: Account
  blocked: Blocked[]
  /** Number of the team's tasks that could run on the account. */
  waiting: number
  allowances: AllowanceState[]
  /** How often the session sends heartbeats from now on; absent: as before. */
  heartbeat_s?: number
}

export type FromService =
  | Welcome
  | Status
  | Assignment
  | { type: 'go'; task: string; lease: string }
  | { type: 'ack'; task: string; seq?: number }
  | { type: 'cancel'; task: string }
  | { type: 'revoked' }

/** A post as a session reports it: the page's contents, character for character. */
export interface Post {
  urn: string
  url: string
  content: string
  author_name: string
  author_url: string
  author_urn?: string
  author_headline: string
  author_image_url: string
  /** RFC 3339, UTC. */
  posted_at: string
  likes_count: number
  comments_count: number
  shares_count: number
  post_type: string
  image_urls?: string[]
  image_text?: string
  videos?: string[]
}

/** Output of scans, of their parts, and of the tasks that fetch posts. */
export interface PostsOutput {
  posts: Post[]
  /** Scans only: false when the scan stopped before it reached `since`. */
  exhausted?: boolean
}

/** A pending invitation into a team, for a member without one. */
export interface Invitation { id: string; team_name: string; invited_by: string }

export interface SignInReply {
  session_token: string
  team: { id: string; name: string }
  member: { id: string; email: string }
  /** Origin of the network, if the service knows it. */
  network?: string
}
