import { originsOf } from '../adapters/addresses'

/** Whether this is the build for Firefox. */
export const inFirefox = (): boolean => 'browser_specific_settings' in chrome.runtime.getManifest()

/** The permissions that the pages of a network need. Firefox's match patterns have no ports. */
export const accessTo = (network: string): string[] => originsOf(network).map(origin => {
  const { protocol, hostname } = new URL(origin)
  return inFirefox() ? `${protocol}//${hostname}/*` : `${origin}/*`
})
