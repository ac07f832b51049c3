// A tab on the network: a golden page with the site's own script.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Window } from 'happy-dom'
import { vi } from 'vitest'
import type { Network } from './golden'

const siteScript = readFileSync(join(import.meta.dirname, '../../internal/fakenetwork/static/site.js'), 'utf8')

/**
 * Opens a page in a new tab, whose globals become those of the test;
 * vi.unstubAllGlobals closes it.
 */
export function openTab(page: string, path: string, network: Pick<Network, 'fetch'>): void {
  const window = new Window({
    url: 'http://network.test' + path,
    settings: { disableCSSFileLoading: true, disableJavaScriptFileLoading: true, handleDisabledFileLoadingAsSuccess: true },
  })
  window.document.write(page)
  for (const name of ['document', 'location', 'DOMParser', 'MutationObserver', 'Event', 'FormData', 'CSS', 'HTMLTextAreaElement'] as const) {
    vi.stubGlobal(name, window[name])
  }
  vi.stubGlobal('fetch', network.fetch)
  new Function(siteScript)()
}
