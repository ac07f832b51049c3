import { execFileSync } from 'node:child_process'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { unzipSync } from 'fflate'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { TaskType } from '../src/shared/protocol'
import taskWords from '../src/shared/task_words.json'
import { languages, textsOf } from './texts'

/** The id that follows from a public key in DER. */
const idOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 32).replace(/./g, digit => String.fromCharCode(97 + parseInt(digit, 16)))

const dir = mkdtempSync(join(tmpdir(), 'watchpost-build-'))
afterAll(() => { rmSync(dir, { recursive: true }) })

/** Builds the extension in a temporary folder. */
function build(name: string, env: Record<string, string> = {}, ...more: string[]) {
  execFileSync(process.execPath, ['build.mjs', '--out', join(dir, name), '--zip', join(dir, `${name}.zip`), ...more], { env: { ...process.env, ...env }, stdio: 'pipe' })
  return { zip: readFileSync(join(dir, `${name}.zip`)), manifest: JSON.parse(readFileSync(join(dir, name, 'manifest.json'), 'utf8')) as Record<string, unknown> }
}

it('the same sources make the same zip', () => {
  const first = build('a', { TZ: 'UTC' }), second = build('b', { TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8' })
  expect(second.zip.equals(first.zip)).toBe(true)
})

it('requests one network and only necessary permissions', () => {
  const { manifest } = build('c', {}, '--network', 'https://network.example', '--adapter', 'server')
  expect(manifest['permissions']).toEqual(['storage', 'alarms', 'scripting', 'tabGroups'])
  expect(Object.keys(manifest['commands'] as object)).toEqual(['_execute_action', 'pause'])
  expect(manifest['host_permissions']).toEqual(['https://network.example/*'])
  const { extension_pages: policy } = manifest['content_security_policy'] as { extension_pages: string }
  expect(policy).toContain("connect-src 'self' https://network.example http://127.0.0.1:8080 ws://127.0.0.1:8080;")
  for (const name of ['web_accessible_resources', 'content_scripts', 'optional_host_permissions']) expect(manifest).not.toHaveProperty(name)
})

it('takes pairing links from pages of the service and of this computer alone', () => {
  const local = ['http://127.0.0.1/*', 'http://localhost/*']
  expect(build('i', {}, '--service', 'http://127.0.0.1:9090').manifest['externally_connectable']).toEqual({ matches: local })
  expect(build('j', {}, '--service', 'https://watch.example.com:8443').manifest['externally_connectable']).toEqual({ matches: ['https://watch.example.com:8443/*', ...local] })
  const { manifest } = build('k', {}, '--browser', 'firefox')
  expect(manifest).not.toHaveProperty('externally_connectable')
  expect(manifest['protocol_handlers']).toEqual([{ protocol: 'ext+watchpost', name: 'Watchpost', uriTemplate: '/options.html#link=%s' }])
})

it('has a page script for each adapter, and the origins of all', () => {
  const { manifest } = build('h', {}, '--network', 'https://network.example')
  expect(manifest['host_permissions']).toEqual(['https://network.example/*', 'https://forum.network.example/*'])
  const scripts = (name: string) => readdirSync(join(dir, name)).filter(file => file.startsWith('page'))
  expect(scripts('h')).toEqual(['page-server.js', 'page-single_page.js'])
  expect(scripts('c')).toEqual(['page-server.js'])
})

it('asks for access at pairing in a build for several networks', () => {
  const { manifest } = build('e')
  expect(manifest).not.toHaveProperty('host_permissions')
  expect(manifest['optional_host_permissions']).toEqual(['https://*/*', 'http://127.0.0.1/*', 'http://localhost/*', 'http://*.localhost/*'])
  const { extension_pages: policy } = manifest['content_security_policy'] as { extension_pages: string }
  expect(policy).toContain("connect-src 'self' https: wss: http://127.0.0.1:* http://localhost:*")
  expect(policy).not.toMatch(/[$]|connect-src \*/)
})

it('has all texts in every language, with the same parts', () => {
  const parts = (text: string) => [...new Set(text.match(/\$\d/g) ?? [])].sort()
  const english = textsOf('en')
  for (const [type, row] of Object.entries<Record<string, object>>(taskWords satisfies Record<TaskType, object>)) {
    expect(Object.keys(row).sort(), type).toEqual(languages)
    for (const words of Object.values(row)) expect(Object.keys(words), type).toEqual(['did', 'task', 'kind'])
  }
  for (const language of languages) {
    const texts = textsOf(language)
    expect(Object.keys(texts).sort(), language).toEqual(Object.keys(english).sort())
    for (const [key, text] of Object.entries(texts)) {
      expect(text, `${language} ${key}`).not.toBe('')
      expect(parts(text), `${language} ${key}`).toEqual(parts(english[key]!))
    }
    if (texts['lang'] === 'fr') for (const text of Object.values(texts)) expect(text, 'breaks before punctuation').not.toMatch(/ [:;?!»]|« /)
    expect(texts['lang'], language).toBe(language.replace('_', '-'))
    expect(texts['description']!.length, language).toBeLessThanOrEqual(132)
  }
})

it('has the id that the service allows', () => {
  const key = Buffer.from(readFileSync('key.b64', 'utf8'), 'base64')
  const id = idOf(key)
  for (const file of ['../cmd/watchpost/serve.go', '../specs/browser/world_test.go']) {
    const named = readFileSync(file, 'utf8').match(/[a-p]{32}/g) ?? []
    expect(new Set(named), file).toEqual(new Set([id]))
  }
})

it('refuses invalid origins', () => {
  expect(() => build('d', {}, '--network', 'https://network.example/path')).toThrow()
})

it('connects to the hosts of its network and its service only', () => {
  const { manifest } = build('i', {}, '--network', 'https://network.example', '--service', 'https://watchpost.example')
  expect(manifest['content_security_policy']).toEqual({ extension_pages: "default-src 'self'; script-src 'self'; object-src 'none'; \
connect-src 'self' https://network.example https://forum.network.example https://watchpost.example wss://watchpost.example; img-src 'self' data:" })
  expect(() => build('j', {}, '--network', 'https://network.example', '--store')).toThrow('--service: is missing')
})

/** Makes an operator's key, and returns its file and the ids that follow from it. */
function operator(name: string) {
  const key = join(dir, 'keys', `${name}.pem`)
  const [, chrome, firefox] = /Id of the extension: ([a-p]{32})\nId in Firefox: (\S+)/.exec(run('key.mjs', key))!
  return { key, chrome: chrome!, firefox: firefox! }
}

const run = (...args: string[]) => execFileSync(process.execPath, args, { stdio: 'pipe' }).toString()

it('has the ids of its operator, so that two can publish', () => {
  const [one, two] = [operator('one'), operator('two')]
  const geckoOf = (key: string) => (build('k', {}, '--store', '--browser', 'firefox', '--key', key).manifest['browser_specific_settings'] as { gecko: { id: string } }).gecko.id
  expect([geckoOf(one.key), geckoOf(two.key)]).toEqual([one.firefox, two.firefox])
  expect(one.firefox).toBe(`${one.chrome}@watchpost.example`)
  expect(one.firefox).not.toBe(two.firefox)
  expect(() => build('m', {}, '--store', '--browser', 'firefox')).toThrow('--key: is missing')
  expect(() => build('m', {}, '--key', join(dir, 'none.pem'))).toThrow('key.mjs')
})

/** The categories of the Chrome Web Store, and what Firefox calls them. */
const categories = new Map([
  ['Personally identifiable information', 'personallyIdentifyingInfo'], ['Website content', 'websiteContent'],
  ['Authentication information', 'authenticationInfo'], ['Personal communications', 'personalCommunications'],
])

it('is what the listing in stores says', () => {
  const listing = readFileSync('store/listing.md', 'utf8'), { manifest } = build('n', {}, '--browser', 'firefox')
  const scripts = listing.match(/`[\w-]+\.(js|html)`/g)!.map(name => name.slice(1, -1))
  expect(scripts.length).toBeGreaterThan(1)
  for (const name of scripts) expect(readdirSync(join(dir, 'n'))).toContain(name)
  const { gecko } = manifest['browser_specific_settings'] as { gecko: { data_collection_permissions: { required: string[]; optional: string[] } } }
  const collected = [...listing.matchAll(/^\| ([^|]+) \| yes \|/gm)].map(([, category]) => categories.get(category!) ?? category)
  expect(gecko.data_collection_permissions).toEqual({ required: collected.sort(), optional: ['technicalAndInteraction'] })
  for (const permission of manifest['permissions'] as string[]) expect(listing).toContain(`| \`${permission}\` |`)
})

it('makes a package for stores without a key, and one for Firefox', () => {
  expect(build('f', {}, '--store').manifest).not.toHaveProperty('key')
  const { manifest } = build('g', {}, '--browser', 'firefox', '--network', 'http://network.localhost:8090', '--adapter', 'server')
  expect(manifest['background']).toEqual({ scripts: ['worker.js'] })
  expect(manifest['browser_specific_settings']).toMatchObject({ gecko: { id: 'bamceibeigcjfoonkpdekbfiefbccikj@watchpost.example', strict_min_version: '140.0' } })
  expect(manifest['host_permissions']).toEqual(['http://network.localhost/*'])
  for (const name of ['key', 'update_url', 'minimum_chrome_version']) expect(manifest).not.toHaveProperty(name)
})

/** The fields of a message in protobuf, which are all bytes. */
function fieldsOf(message: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>()
  let at = 0
  const varint = () => {
    let n = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++]!
      n |= (byte & 127) << shift
      if (byte < 128) return n
    }
  }
  while (at < message.length) {
    const number = varint() >>> 3, length = varint()
    found.set(number, message.subarray(at, at += length))
  }
  return found
}

it('signs updates with the key of the operator, and names them in update manifests', () => {
  const updates = join(dir, 'updates'), { key, chrome: id, firefox: geckoID } = operator('key')
  expect(statSync(key).mode & 0o777).toBe(0o600)
  expect(() => run('key.mjs', key)).toThrow('is there already')
  expect(() => run('key.mjs', 'key.pem')).toThrow('version control')
  run('build.mjs', '--updates', updates, '--key', key, '--service', 'https://watchpost.example', '--version', '1.2.3.4')
  const read = (name: string) => readFileSync(join(updates, name))
  expect(readdirSync(updates).sort()).toEqual(['chrome.xml', 'firefox.json', 'watchpost.crx', 'watchpost.xpi'])
  expect(read('chrome.xml').toString()).toContain(`<app appid="${id}"><updatecheck codebase="https://watchpost.example/extension/updates/watchpost.crx" version="1.2.3.4"/>`)
  expect(JSON.parse(read('firefox.json').toString())).toEqual({ addons: { [geckoID]: { updates: [{ version: '1.2.3.4', update_link: 'https://watchpost.example/extension/updates/watchpost.xpi' }] } } })

  const crx = read('watchpost.crx'), length = crx.readUInt32LE(8), zip = crx.subarray(12 + length)
  expect(crx.subarray(0, 8)).toEqual(Buffer.from('Cr24\x03\0\0\0'))
  const header = fieldsOf(crx.subarray(12, 12 + length)), proof = fieldsOf(header.get(2)!), signed = header.get(10_000)!
  const size = Buffer.alloc(4)
  size.writeUInt32LE(signed.length)
  const publicKey = createPublicKey({ key: proof.get(1)!, format: 'der', type: 'spki' })
  expect(verify('sha256', Buffer.concat([Buffer.from('CRX3 SignedData\0'), size, signed, zip]), publicKey, proof.get(2)!)).toBe(true)
  const hash = createHash('sha256').update(proof.get(1)!).digest().subarray(0, 16)
  expect(fieldsOf(signed).get(1)).toEqual(hash)
  expect(idOf(proof.get(1)!)).toBe(id)
  const unpacked = unzipSync(zip), manifest = JSON.parse(Buffer.from(unpacked['manifest.json']!).toString()) as Record<string, unknown>
  expect(manifest).toMatchObject({ key: proof.get(1)!.toString('base64'), update_url: 'https://watchpost.example/extension/updates/chrome.xml' })
  const firefox = JSON.parse(Buffer.from(unzipSync(read('watchpost.xpi'))['manifest.json']!).toString()) as Record<string, unknown>
  expect(firefox['browser_specific_settings']).toMatchObject({ gecko: { id: geckoID, update_url: 'https://watchpost.example/extension/updates/firefox.json' } })
})
