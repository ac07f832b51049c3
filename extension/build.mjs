// Builds the extension:
//
//	node build.mjs [--browser chrome|firefox] [--out DIR] [--zip FILE] [--store] [--key FILE] [--version V] [--network ORIGIN] [--adapter auto|server|single_page] [--service ORIGIN] [--wake SECONDS]
//	node build.mjs --updates DIR --key FILE --service ORIGIN [--version V] [--network ORIGIN] [--adapter …]
//
// --key names the private key of key.mjs, which the extension's ids follow from;
// without it they are those of development. --store leaves out the public key,
// which the stores of Chromium refuse. --updates writes packages of both browsers
// with their update manifests, for serve --extension-updates; the one for
// Chromium is signed with the key.
//
// Without --network the extension works on the network that the member's
// service names, and asks for access to it at pairing. A build for one network
// connects to this network and to --service only.
//
// With --adapter auto, the default, the build has all adapters, and the answer
// of the network decides which one reads its pages.
//
// The same sources and options give the same bytes, the zip's included.

import { build } from 'esbuild'
import { zipSync } from 'fflate'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crx, idOf, publicKeyOf } from './crx.mjs'
import { geckoIDOf, manifest } from './manifest.mjs'
import { languages, textsOf } from './texts.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const adapters = ['server', 'single_page']

/** Ends the build when an option is wrong. */
function check(fine, why) {
  if (fine) return
  console.error(why)
  process.exit(2)
}

/** Reads an http or https origin. */
function origin(name, value) {
  const url = URL.canParse(value) ? new URL(value) : undefined
  check(url && /^https?:$/.test(url.protocol) && url.origin === value, `--${name}: "${value}" is no origin such as https://host or http://127.0.0.1:8090`)
  return value
}

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: join(here, 'dist') },
    zip: { type: 'string' },
    network: { type: 'string' },
    adapter: { type: 'string', default: 'auto' },
    service: { type: 'string' },
    wake: { type: 'string', default: '30' },
    browser: { type: 'string', default: 'chrome' },
    store: { type: 'boolean', default: false },
    updates: { type: 'string' },
    key: { type: 'string' },
    version: { type: 'string', default: JSON.parse(await readFile(join(here, 'package.json'), 'utf8')).version },
  },
})
const network = options.network === undefined ? '' : origin('network', options.network)
const service = origin('service', options.service ?? 'http://127.0.0.1:8080')
for (const [name, values] of Object.entries({ adapter: ['auto', ...adapters], browser: ['chrome', 'firefox'] })) {
  check(values.includes(options[name]), `--${name}: there is no "${options[name]}"`)
}
check(/^\d{1,5}(\.\d{1,5}){0,3}$/.test(options.version), `--version: "${options.version}" is not one to four numbers with dots between them`)
check(options.service !== undefined || options.updates === undefined && !(options.store && network), '--service: is missing, the address of the service that members use')
check(options.key !== undefined || options.updates === undefined && !(options.store && options.browser === 'firefox'), '--key: is missing, the file of the private key (node key.mjs FILE makes one)')
const pem = options.key === undefined ? undefined : await readFile(options.key, 'utf8').catch(failure => check(false, `--key: ${failure.message} (node key.mjs FILE makes one)`))
const publicKey = pem === undefined ? Buffer.from(await readFile(join(here, 'key.b64'), 'utf8'), 'base64') : publicKeyOf(pem)
const define = {
  NETWORK_ORIGIN: JSON.stringify(network), SERVICE_ORIGIN: JSON.stringify(service), WAKE_SECONDS: String(Number(options.wake)), ADAPTER: JSON.stringify(options.adapter),
}

/** The origins of the network that the adapters read, by their own code. */
async function origins() {
  if (network === '') return []
  const { outputFiles: [code] } = await build({ absWorkingDir: here, entryPoints: ['src/adapters/addresses.ts'], bundle: true, format: 'esm', write: false, define })
  const { originsOf } = await import(`data:text/javascript,${encodeURIComponent(code.text)}`)
  return originsOf(network)
}

/** Writes the files of the extension for a browser to a folder. */
async function make(browser, out, update) {
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  const bundle = (entryPoints, define) => build({
    absWorkingDir: here, entryPoints, define,
    outdir: out, bundle: true, format: 'iife', target: browser === 'firefox' ? 'firefox140' : 'chrome123', charset: 'utf8', legalComments: 'none', logLevel: 'warning',
  })
  await bundle({ worker: 'src/worker/main.ts', options: 'src/ui/options.ts', popup: 'src/ui/popup.ts' }, define)
  for (const name of options.adapter === 'auto' ? adapters : [options.adapter]) {
    await bundle({ [`page-${name}`]: 'src/page/agent.ts' }, { ...define, ADAPTER: JSON.stringify(name) })
  }
  await writeFile(join(out, 'manifest.json'), JSON.stringify(manifest({ browser, origins: await origins(), service, version: options.version, publicKey, store: options.store, update }), null, 2) + '\n')
  for (const file of ['options.html', 'popup.html', 'style.css']) await cp(join(here, 'src/ui', file), join(out, file))
  for (const language of languages) {
    const texts = textsOf(language)
    // Browsers know no plain "pt".
    for (const name of language === 'pt_BR' ? [language, 'pt_PT'] : [language]) {
      const folder = join(out, '_locales', name)
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'messages.json'), JSON.stringify(Object.fromEntries(Object.entries(texts).map(([key, message]) => [key, { message }])), null, 1) + '\n')
    }
  }
  await mkdir(join(out, 'icons'))
  for (const file of await readdir(join(here, 'icons'))) if (file.endsWith('.png')) await cp(join(here, 'icons', file), join(out, 'icons', file))
}

/** The zip of a folder. */
async function zipOf(folder) {
  const files = {}
  for (const file of (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())) {
    const path = join(file.parentPath ?? file.path, file.name)
    files[relative(folder, path).replaceAll('\\', '/')] = await readFile(path)
  }
  // Sorted, with one date and uncompressed: the zip does not depend on the
  // machine.
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))
  return Buffer.from(zipSync(sorted, { level: 0, mtime: new Date(1980, 0, 1) }))
}

if (options.updates === undefined) {
  const out = resolve(options.out)
  await make(options.browser, out, '')
  if (options.zip !== undefined) await writeFile(resolve(options.zip), await zipOf(out))
} else {
  const folder = resolve(options.updates), files = join(folder, 'files'), served = `${service}/extension/updates`
  const { version } = options
  await make('chrome', files, `${served}/chrome.xml`)
  await writeFile(join(folder, 'watchpost.crx'), crx(await zipOf(files), pem))
  await writeFile(join(folder, 'chrome.xml'), `<?xml version="1.0" encoding="UTF-8"?>
<gupdate xmlns="http://www.google.com/update2/response" protocol="2.0"><app appid="${idOf(publicKey)}"><updatecheck codebase="${served}/watchpost.crx" version="${version}"/></app></gupdate>
`)
  await make('firefox', files, `${served}/firefox.json`)
  await writeFile(join(folder, 'watchpost.xpi'), await zipOf(files))
  await writeFile(join(folder, 'firefox.json'), JSON.stringify({ addons: { [geckoIDOf(publicKey)]: { updates: [{ version, update_link: `${served}/watchpost.xpi` }] } } }, null, 2) + '\n')
  await rm(files, { recursive: true })
  console.log(`${folder}: version ${version} with the ids ${idOf(publicKey)} and ${geckoIDOf(publicKey)}`)
}
