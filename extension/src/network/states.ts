import { Fault } from '../shared/fault'

/** A limit that the network reports. */
export interface Limit {
  reason?: string | undefined
  action?: string | undefined
  resetsAt?: string | undefined
}

/**
 * The fault of a page that shows a state instead of the requested content;
 * undefined for other pages.
 */
export function stateFault(kind: string, limit: Limit): Fault | undefined {
  switch (kind) {
    case 'sign_in': return new Fault('signed_out', 'the account is not signed in to the network')
    case 'challenge': return new Fault('challenge', 'the network asks for a human')
    case 'not_found': return new Fault('not_found', 'the network does not know it')
    case 'limit': return new Fault('network_limit', `${limit.reason} of ${limit.action}` + (limit.resetsAt ? ` until ${limit.resetsAt}` : ''), true, limit.reason === 'rate_limited')
    default: return undefined
  }
}

/** The fault of a refused write. */
export function refusal(reason: string): Refused {
  switch (reason) {
    case 'not_connected': return new Refused(reason, 'not_connected', 'the member is no connection of the account')
    case 'company_not_managed': return new Refused(reason, 'company_not_managed', "the account does not manage the company's page")
    case 'already_connected': return new Refused(reason, 'invalid_input', 'the member is a connection already')
    case 'no_invitation': return new Refused(reason, 'not_invited', 'no invitation of the account is pending')
    case 'invalid': return new Refused(reason, 'invalid_input', 'the network refused the input')
    default: return new Refused(reason, 'page_not_understood', `refused: ${reason}`)
  }
}

/** A write that the network refused, with the network's reason. */
export class Refused extends Fault {
  constructor(readonly reason: string, code: ConstructorParameters<typeof Fault>[0], message: string) {
    super(code, message)
  }
}
