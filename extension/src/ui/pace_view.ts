import type { Pace } from '../shared/protocol'
import type { Failure, State } from '../shared/state'
import { number, t, weekday } from './i18n'
import { $, element, tell } from './worker'

/** The days of the week, as the protocol names them. */
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
/** The pauses between two writes that can be chosen, in minutes; the first is none. */
const pauses = [[0, 0], [1, 3], [5, 15], [15, 45]] as const

const field = (id: string): HTMLInputElement => $<HTMLInputElement>(`#${id}`)
const boxes = (): HTMLInputElement[] => [...document.querySelectorAll<HTMLInputElement>('#days input')]

/** Fills the form #writes, and tells the worker what the member chooses. */
export function offerPace(show: (state: State | Failure | undefined) => void): void {
  $('#days').append(...days.map((day, i) => {
    const label = element('label', 'day'), box = element('input', '') as HTMLInputElement
    box.type = 'checkbox'
    box.value = day
    label.append(box, weekday(i))
    return label
  }))
  $('#write-pause').append(...pauses.map(([from, until]) => {
    const option = element('option', '', until === 0 ? t('pace_0') : t('minutes', number(from), number(until))) as HTMLOptionElement
    option.value = `${from * 60}-${until * 60}`
    return option
  }))
  $('#writes').addEventListener('change', () => {
    $('#hours').hidden = !field('in-hours').checked
    void tell({ type: 'writes', pace: chosen() }).then(show)
  })
}

/** Shows what the member has chosen, unless the member is changing it. */
export function showPace({ hours, pause_s: pause, ask }: Pace): void {
  if ($('#writes').contains(document.activeElement)) return
  field('in-hours').checked = hours !== undefined
  $('#hours').hidden = hours === undefined
  field('hours-from').value = hours?.from ?? '09:00'
  field('hours-until').value = hours?.until ?? '17:00'
  for (const box of boxes()) box.checked = hours?.days ? hours.days.includes(box.value) : hours !== undefined || days.indexOf(box.value) < 5
  field('write-pause').value = `${pause?.from ?? 0}-${pause?.until ?? 0}`
  field('ask').checked = ask === true
}

function chosen(): Pace {
  const [from = 0, until = 0] = field('write-pause').value.split('-').map(Number), on = boxes().filter(box => box.checked).map(box => box.value)
  return {
    ...field('in-hours').checked && {
      hours: {
        from: field('hours-from').value || '09:00', until: field('hours-until').value || '17:00', time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        ...on.length > 0 && on.length < days.length && { days: on },
      },
    },
    ...until > 0 && { pause_s: { from, until } },
    ...field('ask').checked && { ask: true },
  }
}
