// Writes go by fetch with the token of the page; afterwards the page is loaded
// again, so that it shows what the network knows.
'use strict'

const token = document.querySelector('meta[name="csrf-token"]')?.content ?? ''
const notice = document.querySelector('#notice')

const say = (text, reason) => {
  notice.textContent = text
  notice.dataset.reason = reason
}

document.addEventListener('submit', async event => {
  const form = event.target.closest('form[data-write]')
  if (!form) return
  event.preventDefault()
  const button = form.querySelector('button')
  button.disabled = true
  try {
    const answer = await fetch(form.action, {
      method: 'POST',
      headers: { 'X-CSRF-Token': token },
      body: new URLSearchParams(new FormData(form, event.submitter)),
    })
    if (answer.ok) {
      location.reload()
      return
    }
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const data = JSON.parse(page.querySelector('#page-data')?.textContent ?? '{}')
    say(page.querySelector('main p')?.textContent ?? 'That did not work.', data.limit?.reason ?? data.reason ?? data.kind ?? 'unknown')
  } catch {
    say('The network did not answer. Load the page again to see whether it worked.', 'no_answer')
  }
  button.disabled = false
})
