import type { AllowanceState } from '../shared/protocol'
import { clock, has, number, t } from './i18n'
import { element } from './worker'

/** The use of an allowance by the account, as a line with a meter. */
export function useLine({ action, used, limit, resets_at: resets }: AllowanceState, now: number): HTMLElement {
  const row = element('li', 'use')
  const meter = element('div', 'meter'), full = element('i', '')
  meter.role = 'meter'
  meter.ariaValueMax = String(limit)
  meter.ariaValueNow = String(Math.min(used, limit))
  full.style.width = `${limit > 0 ? Math.min(used / limit, 1) * 100 : 0}%`
  meter.append(full)
  row.title = t('used', number(used), number(limit), clock(Date.parse(resets), now))
  meter.ariaLabel = row.title
  row.append(element('span', '', has(`use_${action}`) ? t(`use_${action}`) : action), meter, element('b', '', `${number(used)} / ${number(limit)}`))
  return row
}
