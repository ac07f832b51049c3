import type { Deed, Use } from '../shared/state'
import type { Entry, Store } from './journal'

/** Maximum number of lines in the log. */
const kept = 100

/** The network's allowances of an account, and the task types that use them. */
const allowances: { action: string; limit: number; period: Use['period']; types: string[] }[] = [
  { action: 'keyword_scan', limit: 30, period: 'day', types: ['keyword_scan'] },
  { action: 'people_scan', limit: 50, period: 'day', types: ['people_scan', 'agent_profiles_posts_fetch'] },
  { action: 'company_scan', limit: 50, period: 'day', types: ['company_scan', 'agent_company_posts_fetch'] },
  { action: 'profile_fetch', limit: 40, period: 'day', types: ['agent_profile_fetch'] },
  { action: 'company_fetch', limit: 40, period: 'day', types: ['agent_company_fetch'] },
  { action: 'profile_search', limit: 100, period: 'day', types: ['agent_profiles_search', 'agent_connections_fetch'] },
  { action: 'message', limit: 100, period: 'day', types: ['agent_send_message'] },
  { action: 'like', limit: 50, period: 'day', types: ['agent_like_post'] },
  { action: 'comment', limit: 25, period: 'day', types: ['agent_comment_post'] },
  { action: 'invitation', limit: 100, period: 'week', types: ['agent_send_connection_request'] },
]

interface Activities {
  deeds: Deed[]
  /** Uses by period and action. */
  used: Record<string, Record<string, number>>
}

/** The log of this browser's actions on the network, shown to the member and kept here only. */
export class ActivityLog {
  private constructor(
    private readonly store: Store, private readonly activities: Activities, private readonly changed: () => void, private readonly now: () => number,
  ) {}

  static async open(store: Store, changed: () => void, now: () => number): Promise<ActivityLog> {
    const { diary } = await store.get('diary')
    const { deeds = [], used = {} } = (diary ?? {}) as Partial<Activities>
    return new ActivityLog(store, { deeds, used }, changed, now)
  }

  /** Newest first. */
  get deeds(): Deed[] { return this.activities.deeds }

  /** Records the end of a task. */
  async write(entry: Entry): Promise<void> {
    const { error } = entry
    const deed: Deed = { at: this.now(), task_type: entry.task_type, about: about(entry.input) }
    if (error) deed.error = { code: error.code, message: error.message }
    this.activities.deeds.unshift(deed)
    this.activities.deeds.length = Math.min(this.activities.deeds.length, kept)
    const allowance = allowances.find(a => a.types.includes(entry.task_type))
    if (allowance && error?.acted !== false) {
      const keys = { day: dayOf(this.now()), week: weekOf(this.now()) }
      for (const key of Object.keys(this.activities.used)) if (!Object.values(keys).includes(key)) delete this.activities.used[key]
      const used = this.activities.used[keys[allowance.period]] ??= {}
      used[allowance.action] = (used[allowance.action] ?? 0) + units(entry.input)
    }
    this.changed()
    await this.store.set({ diary: this.activities })
  }

  /** This browser's use of each allowance in the current period, in UTC. */
  uses(): Use[] {
    const keys = { day: dayOf(this.now()), week: weekOf(this.now()) }
    return allowances.map(({ action, limit, period }) => ({ action, limit, period, used: this.activities.used[keys[period]]?.[action] ?? 0 }))
  }

  async clear(): Promise<void> {
    this.activities.deeds = []
    this.activities.used = {}
    await this.store.remove('diary')
  }
}

/** The target of a task, as its input names it. */
export function about(input: unknown): string {
  const of = (input ?? {}) as Record<string, unknown>
  for (const name of ['keyword', 'profile', 'company', 'profile_slug', 'company_slug', 'profile_urn', 'recipient_urn', 'social_urn', 'keywords', 'title']) {
    const value = of[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return Array.isArray(of['profile_urns']) ? of['profile_urns'].join(', ') : ''
}

/** Posts of profiles cost one unit per profile. */
const units = (input: unknown): number => {
  const urns = (input as { profile_urns?: unknown } | null)?.profile_urns
  return Array.isArray(urns) ? urns.length : 1
}

const dayOf = (ms: number): string => `day ${new Date(ms).toISOString().slice(0, 10)}`
const weekOf = (ms: number): string => {
  const sinceMonday = (new Date(ms).getUTCDay() + 6) % 7
  return `week ${new Date(ms - sinceMonday * 86_400_000).toISOString().slice(0, 10)}`
}
