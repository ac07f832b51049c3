// The service worker, in Firefox the event page. The browser may stop it at any moment, and any of the
// events below starts it again. Their listeners must be registered first;
// otherwise the event that started the worker is lost.

import type { FromPage } from '../shared/messages'
import { isCode, linkTo } from '../shared/pairing_link'
import type { Failure, FromUI } from '../shared/state'
import { Watchpost } from './watchpost'

// Scripts in pages cannot read the storage.
// Firefox has no access levels; there the page script is trusted as far as its
// isolated world is.
for (const area of [chrome.storage.local, chrome.storage.session]) void area.setAccessLevel?.({ accessLevel: 'TRUSTED_CONTEXTS' })

const started = Watchpost.start()

chrome.runtime.onInstalled.addListener(({ reason }) => {
  if (reason === 'install') void started.then(worker => worker.installed())
})
chrome.runtime.onUpdateAvailable.addListener(() => void started.then(worker => worker.update(), () => chrome.runtime.reload()))
chrome.runtime.onStartup.addListener(() => void started.then(worker => worker.wake()))
chrome.alarms.onAlarm.addListener(() => void started.then(worker => worker.wake()))
chrome.permissions.onAdded.addListener(() => void started.then(worker => worker.accessChanged()))
chrome.permissions.onRemoved.addListener(() => void started.then(worker => worker.accessChanged()))
chrome.commands.onCommand.addListener(name => void started.then(worker => worker.command(name)))
chrome.tabs.onRemoved.addListener(tab => void started.then(worker => worker.tabs.removed(tab)))
chrome.tabs.onUpdated.addListener((id, change, tab) => {
  if (change.status !== undefined) void started.then(worker => worker.tabChanged(id, tab))
})
chrome.runtime.onMessage.addListener((message: FromPage | FromUI, sender, reply) => {
  if (sender.id !== chrome.runtime.id) return undefined
  const fromUI = sender.url?.startsWith(chrome.runtime.getURL('')) === true
  const answer = started.then<unknown>(worker => fromUI
    ? worker.onUIMessage(message as FromUI)
    : worker.onPageMessage(message as FromPage, sender.tab?.id))
  answer.then(reply, (failure: unknown) => reply(fromUI ? { failed: String(failure) } satisfies Failure : undefined))
  return true
})

// A page of the service hands over its pairing link. Only the origins that the
// manifest names can. Firefox has no such messages: see protocol_handlers there.
chrome.runtime.onMessageExternal?.addListener((message: unknown, { origin, frameId }, reply) => {
  const { type, code } = (message ?? {}) as { type?: unknown; code?: unknown }
  if (type !== 'pair' || !isCode(code) || origin === undefined || frameId !== 0) return
  void chrome.tabs.create({ url: `${chrome.runtime.getURL('options.html')}#link=${encodeURIComponent(linkTo(origin, code))}` })
  reply({ asked: true })
})
