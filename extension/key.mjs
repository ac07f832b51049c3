// Makes the private key that an operator signs packages with:
//
//	node key.mjs FILE
//
// The extension's id follows from it. It never replaces a file, and refuses a
// folder under version control.

import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { idOf, publicKeyOf } from './crx.mjs'
import { geckoIDOf } from './manifest.mjs'

const file = resolve(process.argv[2] ?? '')
const refuse = why => {
  console.error(`${file}: ${why}`)
  process.exit(1)
}
if (!process.argv[2]) refuse('name the file of the key: make extension-key KEY=…')
for (let folder = dirname(file); ; folder = dirname(folder)) {
  if (existsSync(join(folder, '.git'))) refuse(`${folder} is under version control, and the key is secret`)
  if (folder === dirname(folder)) break
}
if (existsSync(file)) refuse('is there already; members would lose the extension with another key')
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
writeFileSync(file, pem, { mode: 0o600, flag: 'wx' })
console.log(`The key is in ${file}. Keep a copy in a safe place: browsers take updates only from the same key.
Id of the extension: ${idOf(publicKeyOf(pem))}
Id in Firefox: ${geckoIDOf(publicKeyOf(pem))}
The service takes it from the folder of serve --extension-updates, or from
  --extension-origin chrome-extension://${idOf(publicKeyOf(pem))} --extension-origin 'moz-extension://*'`)
