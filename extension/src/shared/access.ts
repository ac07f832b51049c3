import { addresses } from '../adapters/addresses'

/** The permissions that the pages of a network need. Firefox's match patterns have no ports. */
export const accessTo = (network: string): string[] => addresses.originsOf(network).map(origin => {
  const { protocol, hostname } = new URL(origin)
  return 'browser_specific_settings' in chrome.runtime.getManifest() ? `${protocol}//${hostname}/*` : `${origin}/*`
})
