import { buttonOf, toneOf, type Button, type Condition, type Tone } from '../shared/condition'
import type { Failure, State } from '../shared/state'
import { clock, has, list, number, t } from './i18n'

/** A condition in words. */
export interface Shown {
  tone: Tone
  pill: string
  sentence: string
  /** Since when, until when and how many tasks wait. */
  details: string[]
  button?: { does: Button; label: string }
  /** Confirms the browser's account as the member's. */
  bind?: string
}

/** What the member reads about the state of the extension. */
export function shown(state: State | Failure | undefined, now: number): Shown {
  if (!state || 'failed' in state) {
    return { tone: 'bad', pill: t('pill_failed'), sentence: t('say_failed', state?.failed ?? ''), details: [], button: { does: 'restart', label: t('do_restart') } }
  }
  const { condition } = state, { kind } = condition, does = buttonOf[kind]
  const one: Shown = { tone: toneOf[kind], pill: t(`pill_${kind}`), sentence: t(kind === 'paused' && condition.until !== undefined ? 'say_paused_until' : `say_${kind}`, ...parts(state, condition)), details: details(state, now) }
  if (does && offered(does, state)) one.button = { does, label: t(`do_${does}`) }
  if (kind === 'other_account') one.bind = t('do_bind', short(state.account.name))
  return one
}

/** Whether the button of a state has something to do. */
function offered(does: Button, { skippable, condition }: State): boolean {
  switch (does) {
    case 'skip': return skippable
    case 'retry': return condition.kind === 'unreachable' || condition.retry === true
    default: return true
  }
}

/** The parts of the sentence: the names that it mentions. */
function parts(state: State, { kind, types = [] }: Condition): string[] {
  const network = state.network && new URL(state.network).host
  switch (kind) {
    case 'no_access': case 'challenge': case 'signed_out': return [network]
    case 'unreachable': case 'connecting': return [state.pairing ? new URL(state.pairing.service).host : '']
    case 'other_account': case 'bind_refused': return [short(state.account.name), short(state.bound?.name ?? t('nobody'))]
    case 'account_in_use': return [short(state.account.name)]
    case 'page_not_understood': case 'network_limit': case 'plan': return [list(types.map(type => has(`kind_${type}`) ? t(`kind_${type}`) : type))]
    default: return []
  }
}

/** A name that does not fill the popup. */
const short = (name: string): string => name.length > 24 ? `${name.slice(0, 23)}…` : name

function details({ condition: { kind, since, until }, waiting, pairing }: State, now: number): string[] {
  const told: string[] = []
  if (since !== undefined && kind !== 'unpaired') told.push(t('since', clock(since, now)))
  if (until !== undefined) told.push(t('until', clock(until, now)))
  if (waiting > 0 && pairing) told.push(t('waiting', number(waiting)))
  return told
}
