import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

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
  const { manifest } = build('c', {}, '--network', 'https://network.example')
  expect(manifest['permissions']).toEqual(['storage', 'alarms', 'scripting', 'tabGroups'])
  expect(manifest['host_permissions']).toEqual(['https://network.example/*'])
  const { extension_pages: policy } = manifest['content_security_policy'] as { extension_pages: string }
  expect(policy).toContain("connect-src 'self' https://network.example https: wss: http://127.0.0.1:*")
  expect(policy).not.toMatch(/[$]|connect-src \*/)
  for (const name of ['externally_connectable', 'web_accessible_resources', 'content_scripts', 'optional_host_permissions']) expect(manifest).not.toHaveProperty(name)
})

it('asks for access at pairing in a build for several networks', () => {
  const { manifest } = build('e')
  expect(manifest).not.toHaveProperty('host_permissions')
  expect(manifest['optional_host_permissions']).toEqual(['https://*/*', 'http://127.0.0.1/*', 'http://localhost/*', 'http://*.localhost/*'])
})

it('has all texts in every language, with the same parts', () => {
  const read = (file: string) => JSON.parse(readFileSync(join('src/locales', file), 'utf8')) as Record<string, string>
  const parts = (text: string) => [...new Set(text.match(/\$\d/g) ?? [])].sort()
  const english = read('en.json')
  for (const file of readdirSync('src/locales')) {
    const texts = read(file)
    expect(Object.keys(texts).sort(), file).toEqual(Object.keys(english).sort())
    for (const [key, text] of Object.entries(texts)) {
      expect(text, `${file} ${key}`).not.toBe('')
      expect(parts(text), `${file} ${key}`).toEqual(parts(english[key]!))
    }
    expect(texts['lang'], file).toBe(file.replace('.json', '').replace('_', '-'))
    expect(texts['description']!.length, file).toBeLessThanOrEqual(132)
  }
})

it('has the id that the service allows', () => {
  const key = Buffer.from(readFileSync('key.b64', 'utf8'), 'base64')
  const id = createHash('sha256').update(key).digest('hex').slice(0, 32).replace(/./g, digit => String.fromCharCode(97 + parseInt(digit, 16)))
  for (const file of ['../cmd/watchpost/serve.go', '../specs/browser/world_test.go']) {
    const named = readFileSync(file, 'utf8').match(/[a-p]{32}/g) ?? []
    expect(new Set(named), file).toEqual(new Set([id]))
  }
})

it('refuses invalid origins', () => {
  expect(() => build('d', {}, '--network', 'https://network.example/path')).toThrow()
})
