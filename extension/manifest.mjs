// Returns the manifest for the options of a build.

import { idOf } from './crx.mjs'

/** The extension's id in Firefox, by the public key of its operator (DER): two operators have two. */
export const geckoIDOf = publicKey => `${idOf(publicKey)}@watchpost.example`

/**
 * @param {{browser: 'chrome' | 'firefox', origins: string[], service: string, version: string, publicKey: Buffer, store: boolean, update: string}} build
 *   origins are those of the network: the only ones that the extension may read
 *   and act on. Such a build connects to them and to the service only. Without
 *   one, the extension asks for access to the member's network at pairing, and
 *   connects to any service. Pages of the service and of the member's own computer
 *   may hand over pairing links; no other page can tell whether the extension is
 *   there. The public key gives the extension the same id
 *   wherever it is loaded. A package for a store of Chromium has none, because
 *   the store gives the id. update is the address of the update manifest, ""
 *   where a store has the updates.
 */
export const manifest = ({ browser, origins, service, version, publicKey, store, update }) => ({
  manifest_version: 3,
  name: 'Watchpost',
  description: '__MSG_description__',
  default_locale: 'en',
  version,
  ...browser === 'firefox' ? {
    browser_specific_settings: { gecko: gecko(publicKey, update) },
    protocol_handlers: [{ protocol: 'ext+watchpost', name: 'Watchpost', uriTemplate: '/options.html#link=%s' }],
  } : {
    minimum_chrome_version: '123', ...!store && { key: publicKey.toString('base64') }, ...update && { update_url: update },
    externally_connectable: { matches: linking(service) },
  },
  icons: icons(),
  background: browser === 'firefox' ? { scripts: ['worker.js'] } : { service_worker: 'worker.js' },
  action: { default_popup: 'popup.html', default_title: 'Watchpost', default_icon: icons() },
  commands: {
    _execute_action: { suggested_key: { default: 'Alt+Shift+W' } },
    pause: { suggested_key: { default: 'Alt+Shift+P' }, description: '__MSG_command_pause__' },
  },
  options_ui: { page: 'options.html', open_in_tab: true },
  permissions: ['storage', 'alarms', 'scripting', 'tabGroups'],
  ...origins.length > 0 ? { host_permissions: patterns(browser, origins) } : { optional_host_permissions: ['https://*/*', ...loopback.map(host => `http://${host}/*`)] },
  content_security_policy: { extension_pages: `default-src 'self'; script-src 'self'; object-src 'none'; connect-src ${connectTo(origins, service).join(' ')}; img-src 'self' data:` },
})

/**
 * Firefox 140 shows which data leaves the browser, and asks for it. The required
 * categories are those of the Chrome Web Store in store/listing.md. Firefox has
 * one more: the name and version of the browser, which a member may withhold.
 */
const gecko = (publicKey, update) => ({
  id: geckoIDOf(publicKey), strict_min_version: '140.0', ...update && { update_url: update },
  data_collection_permissions: { required: ['authenticationInfo', 'personallyIdentifyingInfo', 'websiteContent'], optional: ['technicalAndInteraction'] },
})

/** Match patterns of Firefox have no ports: one stands for all. */
const patterns = (browser, origins) => [...new Set(origins.map(origin => {
  const { protocol, hostname } = new URL(origin)
  return browser === 'firefox' ? `${protocol}//${hostname}/*` : `${origin}/*`
}))]

/** Pages of the service, and of the member's own computer at any port. */
const linking = service => [...service.startsWith('https:') ? [`${service}/*`] : [], 'http://127.0.0.1/*', 'http://localhost/*']

/** The member's own computer. */
const loopback = ['127.0.0.1', 'localhost', '*.localhost']

/** The network and its service; in a build for several networks, all services: https, or the member's own computer. */
const connectTo = (origins, service) => ["'self'", ...origins.length > 0
  ? [...origins, service, service.replace('http', 'ws')]
  : ['https:', 'wss:', ...['http', 'ws'].flatMap(scheme => loopback.map(host => `${scheme}://${host}:*`))]]

const icons = () => Object.fromEntries([16, 32, 48, 128].map(size => [size, `icons/${size}.png`]))
