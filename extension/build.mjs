// Builds the extension:
//
//	node build.mjs [--browser chrome|firefox] [--out DIR] [--zip FILE] [--store] [--network ORIGIN] [--adapter auto|server|single_page] [--service ORIGIN] [--wake SECONDS]
//	node build.mjs --updates DIR --key FILE --service ORIGIN [--network ORIGIN] [--adapter …]
//
// --store leaves out the key, which stores refuse. --updates writes packages of
// both browsers with their update manifests, for serve --extension-updates; the
// one for Chromium is signed with the private key of key.mjs.
//
// Without --network the extension works on the network that the member's
// service names, and asks for access to it at pairing.
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
import { geckoID, manifest } from './manifest.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const adapters = ['server', 'single_page']

/** Reads an http or https origin; anything else ends the build. */
function origin(name, value) {
  let url
  try {
    url = new URL(value)
  } catch { /* told below */ }
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== value) {
    console.error(`--${name}: "${value}" is no origin such as https://host or http://127.0.0.1:8090`)
    process.exit(2)
  }
  return value
}

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: join(here, 'dist') },
    zip: { type: 'string' },
    network: { type: 'string' },
    adapter: { type: 'string', default: 'auto' },
    service: { type: 'string', default: 'http://127.0.0.1:8080' },
    wake: { type: 'string', default: '30' },
    browser: { type: 'string', default: 'chrome' },
    store: { type: 'boolean', default: false },
    updates: { type: 'string' },
    key: { type: 'string' },
  },
})
const network = options.network === undefined ? '' : origin('network', options.network)
const service = origin('service', options.service)
for (const [name, values] of Object.entries({ adapter: ['auto', ...adapters], browser: ['chrome', 'firefox'] })) {
  if (values.includes(options[name])) continue
  console.error(`--${name}: there is no "${options[name]}"`)
  process.exit(2)
}
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

const { version } = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'))

/** Writes the files of the extension for a browser to a folder. */
async function make(browser, out, key, update) {
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
  await writeFile(join(out, 'manifest.json'), JSON.stringify(manifest({ browser, origins: await origins(), version, key, update }), null, 2) + '\n')
  for (const file of ['options.html', 'popup.html', 'style.css']) await cp(join(here, 'src/ui', file), join(out, file))
  for (const file of await readdir(join(here, 'src/locales'))) {
    const texts = JSON.parse(await readFile(join(here, 'src/locales', file), 'utf8'))
    const language = file.replace('.json', '')
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
  const key = options.store ? '' : (await readFile(join(here, 'key.b64'), 'utf8')).trim()
  await make(options.browser, out, key, '')
  if (options.zip !== undefined) await writeFile(resolve(options.zip), await zipOf(out))
} else {
  if (options.key === undefined) {
    console.error('--updates: name the file of the private key with --key (node key.mjs makes one)')
    process.exit(2)
  }
  const folder = resolve(options.updates), files = join(folder, 'files'), served = `${service}/extension/updates`
  const pem = await readFile(options.key, 'utf8'), publicKey = publicKeyOf(pem), id = idOf(publicKey)
  await make('chrome', files, publicKey.toString('base64'), `${served}/chrome.xml`)
  await writeFile(join(folder, 'watchpost.crx'), crx(await zipOf(files), pem))
  await writeFile(join(folder, 'chrome.xml'), `<?xml version="1.0" encoding="UTF-8"?>
<gupdate xmlns="http://www.google.com/update2/response" protocol="2.0"><app appid="${id}"><updatecheck codebase="${served}/watchpost.crx" version="${version}"/></app></gupdate>
`)
  await make('firefox', files, '', `${served}/firefox.json`)
  await writeFile(join(folder, 'watchpost.xpi'), await zipOf(files))
  await writeFile(join(folder, 'firefox.json'), JSON.stringify({ addons: { [geckoID]: { updates: [{ version, update_link: `${served}/watchpost.xpi` }] } } }, null, 2) + '\n')
  await rm(files, { recursive: true })
  console.log(`${folder}: version ${version} with the id ${id}`)
}
