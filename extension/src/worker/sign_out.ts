import type { Store } from './journal'

/** A session to end at its service. */
interface Ending {
  service: string
  token: string
}

/** Bounds one request. */
const requestMs = 20_000

/** Ends sessions at the service. Those whose service cannot be reached are kept and tried again. */
export class SignOut {
  constructor(private readonly store: Store, private readonly ask: typeof fetch = (...request) => fetch(...request)) {}

  /** Ends a session; false when the service could not be reached, so that retry has to repeat it. */
  async end(one: Ending): Promise<boolean> {
    await this.store.set({ endings: [...await this.kept(), one] })
    await this.retry()
    return !(await this.kept()).some(kept => kept.token === one.token)
  }

  /** Ends the kept sessions. */
  async retry(): Promise<void> {
    for (const one of await this.kept()) {
      if (!await this.revoke(one)) continue
      const rest = (await this.kept()).filter(kept => kept.token !== one.token)
      if (rest.length > 0) await this.store.set({ endings: rest })
      else await this.store.remove('endings')
    }
  }

  private async kept(): Promise<Ending[]> {
    const { endings } = await this.store.get('endings')
    return (endings as Ending[] | undefined) ?? []
  }

  private async revoke({ service, token }: Ending): Promise<boolean> {
    try {
      const { status } = await this.ask(service + '/extension/sign-out', {
        method: 'POST', credentials: 'omit', cache: 'no-store', headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(requestMs),
      })
      return status < 500
    } catch {
      return false
    }
  }
}
