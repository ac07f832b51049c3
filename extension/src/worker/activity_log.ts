import type { Deed, Target } from '../shared/state'
import { reference } from '../network/paths'
import { isTaskType, isWrite, taskTypes, type TaskTypeRow } from '../shared/protocol'
import type { Entry, Store } from './journal'

/** Maximum number of lines in the log. */
const kept = 500
/** Maximum length of a text in a line. */
const longest = 160

interface Activities {
  /** The team whose tasks they were. */
  team: string
  deeds: Deed[]
}

/** The log of this browser's actions on the network, shown to the member and kept here only. */
export class ActivityLog {
  private constructor(
    private readonly store: Store, private readonly activities: Activities, private readonly changed: () => void, private readonly now: () => number,
  ) {}

  static async open(store: Store, changed: () => void, now: () => number): Promise<ActivityLog> {
    const { activities } = await store.get('activities')
    const { team = '', deeds = [] } = (activities ?? {}) as Partial<Activities>
    return new ActivityLog(store, { team, deeds }, changed, now)
  }

  /** Newest first. */
  get deeds(): Deed[] { return this.activities.deeds }

  /** Records the end of a task. */
  async write(entry: Entry): Promise<void> {
    const { error } = entry
    const deed = deedOf(entry, this.now())
    if (error) deed.error = { code: error.code, message: error.message }
    this.activities.deeds.unshift(deed)
    this.activities.deeds.length = Math.min(this.activities.deeds.length, kept)
    this.changed()
    await this.store.set({ activities: this.activities })
  }

  /** Begins the log of a team; that of another team is deleted. */
  async begin(team: string): Promise<void> {
    if (team === this.activities.team) return
    this.activities.team = team
    this.activities.deeds = []
    await this.store.set({ activities: this.activities })
  }

  async clear(): Promise<void> {
    this.activities.team = ''
    this.activities.deeds = []
    await this.store.remove('activities')
  }
}

/** Describes a task for the member. */
export function deedOf(entry: Entry, at: number): Deed {
  const deed: Deed = { task: entry.task, at, task_type: entry.task_type }
  const target = entry.target ?? targetIn(entry.output) ?? named(entry)
  if (target) deed.target = target
  const text = textIn(entry.input)
  if (text) deed.text = short(text)
  const count = countIn(entry)
  if (count !== undefined) deed.count = count
  return deed
}

/** The person or company that an output describes. */
function targetIn(output: unknown): Target | undefined {
  const { name, profile_url: profile, company_url: company } = (output ?? {}) as Record<string, unknown>
  if (typeof name !== 'string' || name === '') return undefined
  const url = profile ?? company
  return { name, ...typeof url === 'string' && { url } }
}

/** What the task itself calls the person or company: no page has shown the name yet. */
function named({ task_type: type, input }: Entry): Target | undefined {
  if (!isTaskType(type)) return undefined
  const { page, names }: TaskTypeRow = taskTypes[type]
  if (!names || page === 'post') return undefined
  try {
    return { name: decodeURIComponent(reference((input as Record<string, unknown> | null)?.[names], 'in', 'company', 'school', 'showcase')) }
  } catch {
    return undefined // nothing that names a page
  }
}

/** The author of the posts of a scan of one author. */
export function authorIn(type: string, posts: readonly { author_name: string; author_url: string }[]): Target | undefined {
  const first = posts[0]
  if (!first || !/^(people|company)_scan$|^agent_company_posts_fetch$/.test(type)) return undefined
  return { name: first.author_name, url: first.author_url }
}

/** What a task looks for or writes, all of it. */
export function textIn(input: unknown): string {
  const given = (input ?? {}) as Record<string, unknown>
  for (const name of ['comment_text', 'message', 'note', 'keyword', 'keywords', 'title', 'company', 'first_name', 'last_name', 'school', 'location']) {
    const value = given[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return ''
}

function countIn({ task_type: type, output, error, found = 0 }: Entry): number | undefined {
  if (error || isWrite(type)) return undefined
  const { posts, total } = (output ?? {}) as { posts?: unknown; total?: unknown }
  if (Array.isArray(posts)) return posts.length + found
  return typeof total === 'number' ? total : undefined
}

const short = (text: string): string => text.length > longest ? `${text.slice(0, longest - 1)}…` : text
