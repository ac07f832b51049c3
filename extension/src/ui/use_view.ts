import type { AllowanceState } from '../shared/protocol'
import { clock, has, number, t } from './i18n'
import { element } from './worker'

/** The use of an allowance by the account, as a line with a meter. */
export function useLine({ action, used, limit, resets_at: resets }: AllowanceState, now: number): HTMLElement {
  const row = element('li', 'use')
  const meter = document.createElement('meter')
  meter.max = limit
  meter.value = Math.min(used, limit)
  row.title = t('used', number(used), number(limit), clock(Date.parse(resets), now))
  meter.ariaLabel = row.title
  row.append(element('span', '', has(`use_${action}`) ? t(`use_${action}`) : action), element('b', '', `${number(used)} / ${number(limit)}`), meter)
  return row
}
