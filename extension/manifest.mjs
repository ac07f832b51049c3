// Returns the manifest for the options of a build.

/**
 * @param {{origins: string[], version: string, key: string}} build origins are
 *   those of the network: the only ones that the extension may read and act on.
 *   Without one, the extension asks for access to the member's network at
 *   pairing. The key is public; it gives the extension the same id wherever it
 *   is loaded.
 */
export const manifest = ({ origins, version, key }) => ({
  manifest_version: 3,
  name: 'Watchpost',
  description: '__MSG_description__',
  default_locale: 'en',
  version,
  minimum_chrome_version: '123',
  key,
  icons: icons(),
  background: { service_worker: 'worker.js' },
  action: { default_popup: 'popup.html', default_title: 'Watchpost', default_icon: icons() },
  options_ui: { page: 'options.html', open_in_tab: true },
  permissions: ['storage', 'alarms', 'scripting', 'tabGroups'],
  ...origins.length > 0 ? { host_permissions: origins.map(origin => `${origin}/*`) } : { optional_host_permissions: ['https://*/*', ...loopback.map(host => `http://${host}/*`)] },
  content_security_policy: { extension_pages: `default-src 'self'; script-src 'self'; object-src 'none'; connect-src ${connectTo(origins)}; img-src 'self' data:` },
})

/** The member's own computer. */
const loopback = ['127.0.0.1', 'localhost', '*.localhost']

/** The network, and services: https, or the member's own computer. */
const connectTo = origins => ["'self'", ...origins, 'https:', 'wss:', ...['http', 'ws'].flatMap(scheme => loopback.map(host => `${scheme}://${host}:*`))].join(' ')

const icons = () => Object.fromEntries([16, 32, 48, 128].map(size => [size, `icons/${size}.png`]))
