// The control page: faults are set and ended, and the counts of writes shown,
// through the endpoints beside it.
'use strict'

const find = selector => document.querySelector(selector)

const ask = async (address, method = 'GET', body) => {
  const answer = await fetch(address, { method, body: body && JSON.stringify(body) })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

const row = (name, ...texts) => {
  const element = document.createElement(name)
  for (const text of texts) {
    const cell = document.createElement(name === 'tr' ? 'td' : 'span')
    cell.textContent = text
    element.append(cell)
  }
  return element
}

const showFaults = all => {
  const rows = Object.entries(all).map(([account, faults]) => row('li', `${account || 'all'}: ${JSON.stringify(faults)}`))
  find('#now').replaceChildren(...(rows.length ? rows : [row('li', 'Nothing goes wrong.')]))
}

const showWrites = ({ total, counts }) => {
  find('#total').textContent = total
  find('#writes').replaceChildren(...counts.map(c => row('tr', c.account, c.kind, c.target, c.count)))
}

// attempt does something and says what went wrong.
const attempt = async act => {
  find('#notice').textContent = ''
  try {
    await act()
  } catch (failure) {
    find('#notice').textContent = failure.message
  }
}

find('#faults').addEventListener('submit', event => {
  event.preventDefault()
  const form = new FormData(event.target)
  const faults = { slow: form.get('slow'), lose_answers: Number(form.get('lose_answers')), lose_writes: Number(form.get('lose_writes')) }
  for (const name of ['layout_changed', 'signed_out', 'challenge', 'rate_limited']) faults[name] = form.has(name)
  attempt(async () => showFaults(await ask('/_control/faults', 'POST', { account: form.get('account'), faults })))
})
find('#clear').addEventListener('click', () => attempt(async () => showFaults(await ask('/_control/faults', 'DELETE'))))

const look = () => attempt(async () => {
  showFaults(await ask('/_control/faults'))
  showWrites(await ask('/_control/writes'))
})
find('#again').addEventListener('click', look)
look()
