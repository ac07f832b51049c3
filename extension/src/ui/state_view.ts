import { accessTo } from '../shared/access'
import type { Button } from '../shared/condition'
import type { Failure, State } from '../shared/state'
import { shown } from './condition_text'
import { t } from './i18n'
import { answers, questionView } from './question_view'
import { $, ask, element, tell } from './worker'

/** Shows the state of the extension in #state: pill, sentence, times, button. */
export function showState(state: State | Failure | undefined, show: (state: State | Failure | undefined) => void): void {
  const { tone, pill, sentence, details, button, bind } = shown(state, Date.now())
  const label = $('#pill')
  label.textContent = pill
  label.dataset['kind'] = tone
  const card = $('#state')
  card.dataset['kind'] = tone
  const live = state && !('failed' in state) ? state : undefined
  const actions = element('p', 'actions')
  if (button && !(button.does === 'pair' && document.body.classList.contains('options'))) {
    const one = element('button', 'primary', button.label)
    one.addEventListener('click', () => void act(button.does, live).then(next => { if (next) show(next) }))
    actions.append(one)
  }
  if (bind && live) {
    const other = element('button', 'link', bind)
    other.addEventListener('click', async () => {
      if (await ask(t('bind_ask', live.account.name), bind)) show(await tell({ type: 'bind' }))
    })
    actions.append(other)
  }
  const times = element('p', 'soft details')
  times.append(...details.map(one => element('span', '', one)))
  const asked = live?.condition.kind === 'asking' ? live.question : undefined
  if (asked) actions.append(...answers(asked, show))
  card.replaceChildren(element('p', 'sentence', sentence), ...asked ? questionView(asked) : [], ...details.length > 0 ? [times] : [], ...actions.childElementCount > 0 ? [actions] : [])
}

async function act(does: Button, state: State | undefined): Promise<State | Failure | undefined> {
  switch (does) {
    case 'restart': return void chrome.runtime.reload()
    case 'pair': return void await chrome.runtime.openOptionsPage()
    case 'take_over': return tell({ type: 'reconnect' })
    case 'resume': return tell({ type: 'pause', on: false })
    case 'retry': return tell({ type: 'retry' })
    case 'skip': return tell({ type: 'skip' })
    case 'grant': return void (state && await chrome.permissions.request({ origins: accessTo(state.network) }))
    case 'sign_in':
    case 'open_check': return void (state && await chrome.tabs.create({ url: `${state.network}/` }))
  }
}
