import { Fault } from '../shared/fault'
import { refusal } from '../network/states'
import type { WithdrawalInput } from '../shared/protocol'
import { fields } from './input'
import type { Write } from './task'

const outputOf = ({ urn, url }: { urn: string; url: string }) => ({ withdrawn: true, profile_urn: urn, profile_url: url })

/**
 * agent_withdraw_invitation: whether no invitation is pending. A connection has
 * none either, and shows that it was not withdrawn.
 */
export const withdrawal: Write<WithdrawalInput> = {
  async look(input, pages) {
    const profile = await pages.profile(fields(input, { profile_urn: 'text' }).profile_urn)
    const { relation, name, url } = profile
    if (relation === 'connected') throw refusal('no_invitation')
    if (relation === 'self') throw new Fault('invalid_input', 'the account cannot invite itself')
    return { witness: { done: relation === 'none' }, output: outputOf(profile), target: { name, url } }
  },
  async act(_, pages) {
    return outputOf(await pages.doWithdraw())
  },
}
