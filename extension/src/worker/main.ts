// The service worker. It may be stopped at any moment and is started again by
// any of the events below, whose listeners must be registered before anything
// else is done, or the event that woke the worker is lost.

import type { FromPage } from '../shared/messages'
import type { FromUI } from '../shared/state'
import { Watchpost } from './watchpost'

// Scripts in pages have no access to what is stored.
void chrome.storage.local.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' })
void chrome.storage.session.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' })

const started = Watchpost.start()

chrome.runtime.onInstalled.addListener(({ reason }) => {
  if (reason === 'install') void started.then(worker => worker.installed())
})
chrome.runtime.onStartup.addListener(() => void started.then(worker => worker.wake()))
chrome.alarms.onAlarm.addListener(() => void started.then(worker => worker.wake()))
chrome.tabs.onRemoved.addListener(tab => void started.then(worker => worker.tabs.removed(tab)))
chrome.tabs.onUpdated.addListener((id, change, tab) => {
  if (change.status !== undefined) void started.then(worker => worker.tabChanged(id, tab))
})
chrome.runtime.onMessage.addListener((message: FromPage | FromUI, sender, reply) => {
  if (sender.id !== chrome.runtime.id) return undefined
  const fromUI = sender.url?.startsWith(chrome.runtime.getURL('')) === true
  const answer = started.then<unknown>(worker => fromUI
    ? worker.hearUI(message as FromUI)
    : worker.hearPage(message as FromPage, sender.tab?.id))
  answer.then(reply, () => reply(undefined))
  return true
})
