import type { State, TaskError } from '../shared/protocol'
import type { Witness } from '../shared/messages'
import type { Target } from '../shared/state'

/** The journal's record of one task. Times are milliseconds since 1970. */
export interface Entry {
  task: string
  lease: string
  attempt: number
  task_type: string
  input: unknown
  deadline?: number
  /** The service was restored from a backup: the task may have been done since the backup. */
  restored?: boolean
  state: State
  /** Time of receipt. */
  at: number
  /**
   * URN of the account of the task: the member's, not necessarily the one that
   * the browser is signed in to.
   */
  account: string
  /** What the pages showed of the task's target, for the member. */
  target?: Target
  /** Number of posts that were sent before the output. */
  found?: number

  // acting
  witness?: Witness
  acting_at?: number
  /**
   * Set after go and before the network is touched: an entry in acting without
   * it has certainly not acted.
   */
  begun?: boolean
  /** Set before the network is touched a second time. */
  again?: boolean

  // done: one of these two
  output?: unknown
  error?: TaskError
}

/** The part of chrome.storage.local that the journal uses. */
export interface Store {
  get(keys: string | null): Promise<Record<string, unknown>>
  set(items: Record<string, unknown>): Promise<void>
  remove(keys: string | string[]): Promise<void>
}

const prefix = 'task:'

/**
 * The write-ahead record of tasks: one storage key per task, so that writers
 * never overwrite each other. It survives the worker and the browser.
 */
export class Journal {
  private constructor(private readonly store: Store, private readonly tasks: Map<string, Entry>, readonly id: string) {}

  /** Reads the journal, or creates a named one. */
  static async open(store: Store): Promise<Journal> {
    const items = await store.get(null)
    const tasks = new Map<string, Entry>()
    for (const [key, value] of Object.entries(items)) {
      if (key.startsWith(prefix) && whole(value) && key === prefix + value.task) tasks.set(value.task, value)
    }
    let id = items['journal']
    if (typeof id !== 'string' || id === '') {
      id = crypto.randomUUID()
      await store.set({ journal: id })
    }
    return new Journal(store, tasks, id as string)
  }

  /** The open tasks, oldest first. */
  entries(): Entry[] {
    return [...this.tasks.values()].sort((a, b) => a.at - b.at || (a.task < b.task ? -1 : 1))
  }

  /** Makes an entry durable. Writes keep the order of the calls. */
  async put(entry: Entry): Promise<void> {
    this.tasks.set(entry.task, entry)
    await this.store.set({ [prefix + entry.task]: entry })
  }

  /**
   * Removes a task. If a crash undoes the removal, the result is only sent and
   * acknowledged again.
   */
  async remove(task: string): Promise<void> {
    this.tasks.delete(task)
    await this.store.remove(prefix + task)
  }
}

/** Whether an entry has the fields that its state requires. */
function whole(value: unknown): value is Entry {
  const e = value as Entry | null
  if (typeof e?.task !== 'string' || e.task === '') return false
  switch (e.state) {
    case 'received': return true
    case 'acting': return e.witness !== undefined && e.acting_at !== undefined
    case 'done': return (e.output !== undefined) !== (e.error !== undefined)
    default: return false
  }
}
