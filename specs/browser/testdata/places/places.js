// Opens a page of the network in one of several ways, and works in it as the
// extension does: the page's own load, then some more pages, one after the other.

const open = {
  tab: url => chrome.tabs.create({ url, active: false }),
  group: async url => grouped(url, false),
  collapsed: async url => grouped(url, true),
  minimised: async url => (await chrome.windows.create({ url, focused: false, state: 'minimized' })).tabs[0],
  behind: async url => (await chrome.windows.create({ url, focused: false })).tabs[0],
}

async function grouped(url, collapsed) {
  const tab = await chrome.tabs.create({ url, active: false })
  const group = await chrome.tabs.group({ tabIds: tab.id })
  await chrome.tabGroups.update(group, { title: 'Work', collapsed })
  return tab
}

const seconds = since => Math.round((performance.now() - since) / 10) / 100

/** Within that time, or undefined. */
const within = (ms, promise) => Promise.race([promise.catch(e => String(e)), new Promise(resolve => setTimeout(resolve, ms))])

const inPage = (tab, func, ...args) => chrome.scripting.executeScript({ target: { tabId: tab }, func, args }).then(([frame]) => frame.result)

/**
 * Works in one way; limit in seconds. Answers how long loading and all of it took
 * ("-": it did not end in time), how many pages were read, and how long the page
 * took at most to answer a question, and to run a timer of its own.
 */
globalThis.measure = async (way, page, pages, limit) => {
  const since = performance.now()
  const url = `${page}?place=${way}` // a browser loads one address once at a time
  if (way === 'offscreen') return offscreen(url, pages, limit, since)
  const tab = await open[way](url)
  const { state } = await chrome.windows.get(tab.windowId)
  const left = () => Math.max(limit * 1000 - (performance.now() - since), 0)
  const loaded = await within(left(), (async () => {
    for (;;) {
      // The empty page that a tab begins with hides its address.
      const now = await chrome.tabs.get(tab.id)
      if (now.status === 'complete' && now.url?.startsWith('http')) return seconds(since)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  })())
  const answers = { question: 0, timer: 0 }
  let over = false
  const ask = async (name, func) => {
    while (!over) {
      const asked = performance.now()
      const slow = setInterval(() => { answers[name] = Math.max(answers[name], seconds(asked)) }, 500)
      await inPage(tab.id, func).catch(() => {})
      clearInterval(slow)
      answers[name] = Math.max(answers[name], seconds(asked))
      await new Promise(resolve => setTimeout(resolve, 1000))
    }
  }
  const work = (async () => {
    await chrome.scripting.executeScript({ target: { tabId: tab.id }, files: ['work.js'] })
    void ask('question', () => true)
    void ask('timer', () => new Promise(resolve => setTimeout(resolve)))
    return inPage(tab.id, (url, pages) => work(url, pages), url, pages)
  })()
  const done = await within(left(), work)
  const total = done === pages ? seconds(since) : '-'
  const read = done === pages ? pages : await within(3000, inPage(tab.id, () => globalThis.read ?? 0)) ?? '?'
  const hidden = await within(3000, inPage(tab.id, () => document.visibilityState)) ?? '?'
  over = true
  await chrome.tabs.remove(tab.id).catch(() => {})
  return { way, window: state, visibility: hidden, loaded: loaded ?? '-', total, read, ...answers, ...typeof done === 'string' && { failed: done } }
}

async function offscreen(url, pages, limit, since) {
  if (!chrome.offscreen) return { way: 'offscreen', failed: 'this browser has none' }
  await chrome.offscreen.createDocument({ url: 'work.html', reasons: ['DOM_PARSER'], justification: 'reads pages' })
  const done = await within(limit * 1000, chrome.runtime.sendMessage({ work: [url, pages + 1] }))
  await chrome.offscreen.closeDocument()
  return { way: 'offscreen', total: done === pages + 1 ? seconds(since) : '-', read: done ?? '?' }
}
