import { addressesOf, type AdapterName } from '../adapters/addresses'
import type { WriteType } from '../shared/protocol'
import type { Question } from '../shared/state'
import { deedOf, textIn } from './activity_log'
import type { Entry, Store } from './journal'

/** What the member says of a write; asked: nothing yet. */
type Word = 'allowed' | 'declined' | 'asked'

/** Maximum number of answers that are remembered. */
const kept = 100

interface Answers {
  /** Writes about which the member is asked, oldest first; as handed out, and not begun. */
  asked: Entry[]
  /** Names of tasks, oldest first. */
  allowed: string[]
  declined: string[]
}

/**
 * The member's consent to writes, one by one. A write is returned to the service while
 * the member is asked, so that other tasks go on, and comes again; its answer is kept
 * until then.
 */
export class Consent {
  private constructor(private readonly store: Store, private answers: Answers) {}

  static async open(store: Store): Promise<Consent> {
    const { consent } = await store.get('consent')
    return new Consent(store, { asked: [], allowed: [], declined: [], ...consent as Partial<Answers> | undefined })
  }

  /** The writes about which the member is asked, oldest first. */
  get asked(): readonly Entry[] { return this.answers.asked }

  /** The member's word on a write; asks when there is none. */
  async on(entry: Entry): Promise<Word> {
    const { asked, allowed, declined } = this.answers
    if (allowed.includes(entry.task)) return 'allowed'
    if (declined.includes(entry.task)) return 'declined'
    await this.put({ asked: [...asked.filter(one => one.task !== entry.task), entry] })
    return 'asked'
  }

  /** Takes the member's answer; returns the write, or undefined when it is not asked about. */
  async answer(task: string, allow: boolean): Promise<Entry | undefined> {
    const { asked, allowed, declined } = this.answers
    const entry = asked.find(one => one.task === task)
    if (!entry) return undefined
    const rest = { asked: asked.filter(one => one !== entry) }
    await this.put(allow ? { ...rest, allowed: [...allowed, task].slice(-kept) } : { ...rest, declined: [...declined, task].slice(-kept) })
    return entry
  }

  /** Forgets a task that is over. */
  async forget(task: string): Promise<void> {
    const { asked, allowed, declined } = this.answers
    if (![...asked.map(one => one.task), ...allowed, ...declined].includes(task)) return
    const others = (names: string[]) => names.filter(name => name !== task)
    await this.put({ asked: asked.filter(one => one.task !== task), allowed: others(allowed), declined: others(declined) })
  }

  /** Ends all questions: the member does not want to be asked any more. */
  async clear(): Promise<void> { await this.put({ asked: [], allowed: [], declined: [] }) }

  private async put(change: Partial<Answers>): Promise<void> {
    this.answers = { ...this.answers, ...change }
    await this.store.set({ consent: this.answers }).catch(() => {}) // without room it is asked again by the next worker
  }
}

/** A write as the member is asked about it. */
export function questionOn(entry: Entry, adapter: AdapterName, network: string): Question {
  const { text: _, ...deed } = deedOf(entry, entry.at), question: Question = { deed, text: textIn(entry.input) }
  try {
    question.url = new URL(addressesOf(adapter).startOf(entry.task_type as WriteType, entry.input, network), network).href
  } catch { /* an input that names no page: the write would fail */ }
  return question
}
