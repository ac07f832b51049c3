import { sameAccount, type Account } from '../shared/protocol'
import { adapterNames, addressesOf, type AdapterName } from '../adapters/addresses'
import { nobody } from '../network/account'
import type { Store } from './journal'
import { until, wait } from './task'

/** After the member's visit to the network it is read again so often, and for so long, while no one is signed in. */
const visitEveryMs = 10_000, visitMs = 3 * 60_000

/**
 * The account signed in to the network in this browser. It is read from the
 * pages of tasks and, apart from tasks, from one light page only.
 */
export class AccountWatch {
  private checking: Promise<void> | undefined
  private checkedAt = 0
  private visitedUntil = 0
  private waiting: (() => void)[] = []

  private constructor(
    private account: Account, private known: AdapterName | undefined, private readonly store: Store, private readonly origin: () => string,
    private readonly changed: () => void, private readonly clock: () => number,
  ) {}

  /**
   * Loads the account seen last, and the adapter that read it. Where several could, the
   * member counts as signed out until one has: so no task begins with the wrong one.
   */
  static async open(store: Store, origin: () => string, changed: () => void, clock: () => number = Date.now): Promise<AccountWatch> {
    const { account } = await store.get('account'), { adapter } = await store.get('adapter')
    const known = adapterNames.length === 1 ? adapterNames[0] : adapterNames.find(name => name === adapter)
    return new AccountWatch(known && account as Account | undefined || nobody, known, store, origin, changed, clock)
  }

  /** Waits until the account with that URN is signed in. */
  async signedIn(urn: string, signal: AbortSignal): Promise<void> {
    while (!this.account.signed_in || !sameAccount(this.account.urn, urn)) await until<void>(signal, resolve => this.waiting.push(resolve))
  }

  get now(): Account { return this.account }

  /** The adapter that reads the network's pages. */
  get adapter(): AdapterName { return this.known ?? adapterNames[0]! }

  /** Forgets account and adapter, with the network. */
  async forget(): Promise<void> {
    this.account = nobody
    this.visitedUntil = 0
    if (adapterNames.length > 1) this.known = undefined
    await this.store.remove(['account', 'adapter'])
  }

  /** Stores the account that a page showed. After a sign-out the name stays. */
  async saw(account: Account): Promise<void> {
    const { challenge: _, ...last } = this.account
    const next = account.signed_in ? account : { ...last, signed_in: false, ...account.challenge && { challenge: true } }
    if (JSON.stringify(next) === JSON.stringify(this.account)) return
    this.account = next
    this.changed()
    if (next.signed_in) this.waiting.splice(0).forEach(resolve => resolve())
    await this.store.set({ account: next })
  }

  /** Reads the signed-in account, unless a check ran less than atMostEvery milliseconds ago. */
  check(atMostEvery = 0): Promise<void> {
    if (this.clock() - this.checkedAt < atMostEvery) return Promise.resolve()
    return this.checking ??= this.look().finally(() => { this.checking = undefined })
  }

  /**
   * The member has opened the network. A sign-in, or the answer to a challenge,
   * loads no page on some sites: so the account is read again for some time.
   */
  async visited(): Promise<void> {
    const earlier = this.visitedUntil
    this.visitedUntil = this.clock() + visitMs
    await this.check()
    if (earlier > this.clock()) return // an earlier visit is still followed
    while (!this.account.signed_in && this.clock() < this.visitedUntil) {
      await wait(visitEveryMs, new AbortController().signal)
      await this.check()
    }
    this.visitedUntil = 0
  }

  private async look(): Promise<void> {
    this.checkedAt = this.clock()
    try {
      // The adapter of the last time first. Each knows its own layout only.
      for (const name of new Set([this.adapter, ...adapterNames])) {
        const { accountPath, accountIn } = addressesOf(name)
        const answer = await fetch(this.origin() + accountPath, { credentials: 'include', cache: 'no-store', signal: AbortSignal.timeout(25_000) })
        const account = accountIn(answer.status, await answer.text())
        if (!account) continue
        if (this.known !== name) await this.store.set({ adapter: name })
        this.known = name
        return await this.saw(account)
      }
    } catch { /* no answer tells nothing about the account */ }
  }
}
