// Tests an adapter against saved pages, and saves them:
//
//	node adapter.mjs check [--update] FOLDER...
//	node adapter.mjs save --profile DIR --into FOLDER --as NAME [--origin ORIGIN] ADDRESS
//
// A folder has pages and pages.json: {adapter, pages: [{file, url, read, of,
// result or error}]}. check opens each page at its url, calls the method read
// of the adapter's Pages with the argument of, and compares the result or the
// fault's code. --update writes what the adapter reads now. The exit status is
// 1 when a page differs.
//
// save writes the page that Chromium shows at an address to NAME.html. DIR is a
// browser profile in which you have signed in; no Chromium may have it open.
// --origin replaces the site's origin in the page. Scripts and tokens are
// removed.

import { build } from 'esbuild'
import { Window } from 'happy-dom'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, parseArgs } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))

/** The code of an adapter; running it returns {openPages}. */
async function codeOf(adapter) {
  const { outputFiles: [code] } = await build({
    absWorkingDir: here, entryPoints: ['src/adapters/pages.ts'], bundle: true, format: 'iife', globalName: 'adapter', write: false, define: { ADAPTER: JSON.stringify(adapter) },
  })
  return code.text
}

/** A saved page does not change, so an adapter need not wait long, in milliseconds. */
const waitMs = 5000

const globals = ['document', 'location', 'history', 'DOMParser', 'MutationObserver', 'Event', 'PopStateEvent', 'CSS', 'scrollTo', 'dispatchEvent']

/** What the adapter reads on a page: {result} or {error}, the code of its fault and the reason. */
async function read(code, html, { url, read: method, of }) {
  const window = new Window({ url, settings: { disableCSSFileLoading: true, disableJavaScriptFileLoading: true, handleDisabledFileLoadingAsSuccess: true } })
  window.document.write(html)
  const scope = Object.fromEntries(globals.map(name => [name, typeof window[name] === 'function' && /^[a-z]/.test(name) ? window[name].bind(window) : window[name]]))
  let timer
  const fetchSaved = async () => new Response(html)
  try {
    const { openPages } = new Function(...globals, 'fetch', `${code}\nreturn adapter`)(...Object.values(scope), fetchSaved)
    const pages = openPages()
    const more = method === 'posts' ? [1, new AbortController().signal] : []
    const late = new Promise((_, reject) => { timer = setTimeout(reject, waitMs, { code: 'timeout', message: 'the adapter waits: it takes the page for one that is still loading' }) })
    return { result: JSON.parse(JSON.stringify(await Promise.race([pages[method](of, ...more), late]))) }
  } catch (failure) {
    return { error: failure.code ?? 'internal', why: failure.message }
  } finally {
    clearTimeout(timer)
    await window.happyDOM.close()
  }
}

const short = value => value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 120)

/** The differences between two values, by path. */
function differences(want, got, path = 'result') {
  if (isDeepStrictEqual(want, got)) return []
  if (typeof want !== 'object' || typeof got !== 'object' || want === null || got === null) return [`${path}: expected ${short(want)}, read ${short(got)}`]
  return [...new Set([...Object.keys(want), ...Object.keys(got)])].flatMap(key => differences(want[key], got[key], `${path}.${key}`))
}

/** The problem of one page, undefined if there is none. */
function problemOf(page, seen) {
  if (seen.error !== page.error) {
    return seen.error ? `${seen.error}: ${seen.why}` + (page.error ? ` (expected ${page.error})` : '') : `it was read, expected ${page.error}`
  }
  return differences(page.result, seen.result).slice(0, 5).join('\n     ') || undefined
}

async function check(folder, update) {
  const file = join(folder, 'pages.json')
  const list = JSON.parse(readFileSync(file, 'utf8'))
  const code = await codeOf(list.adapter)
  let failed = 0
  const all = await Promise.all(list.pages.map(page => read(code, readFileSync(join(folder, page.file), 'utf8'), page)))
  for (const [n, page] of list.pages.entries()) {
    const seen = all[n]
    if (update) {
      delete page.result
      delete page.error
      Object.assign(page, seen.error ? { error: seen.error } : seen)
    }
    const problem = problemOf(page, seen)
    if (problem) failed++
    console.log(`${problem ? 'FAIL' : 'ok  '} ${folder}/${page.file}: ${page.read}${problem ? `\n     ${problem}` : ''}`)
  }
  if (update) writeFileSync(file, JSON.stringify(list, null, 1) + '\n')
  return failed
}

function save(address, { profile, into, as, origin }) {
  const browser = process.env.CHROMIUM ?? 'chromium'
  const args = ['--headless=new', '--disable-gpu', '--no-first-run', `--user-data-dir=${profile}`, '--virtual-time-budget=20000', '--dump-dom']
  if (process.getuid?.() === 0) args.push('--no-sandbox')
  const html = execFileSync(browser, [...args, address], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 << 20 })
  writeFileSync(join(into, `${as}.html`), html
    .replace(/(<script\b[^>]*>)[\s\S]*?(<\/script>)/g, '$1$2')
    .replace(/(<meta name="[^"]*token[^"]*" content=")[^"]*/g, '$1')
    .replaceAll(new URL(address).origin, origin ?? new URL(address).origin)
    .trimEnd() + '\n')
}

const { values: options, positionals: [command, ...rest] } = parseArgs({
  allowPositionals: true,
  options: { update: { type: 'boolean', default: false }, profile: { type: 'string' }, into: { type: 'string' }, as: { type: 'string' }, origin: { type: 'string' } },
})
if (command === 'check' && rest.length > 0) {
  let failed = 0
  for (const folder of rest) failed += await check(folder, options.update)
  if (failed > 0) console.log(`${failed} saved ${failed === 1 ? 'page is' : 'pages are'} not read as expected`)
  process.exitCode = failed > 0 ? 1 : 0
} else if (command === 'save' && rest.length === 1 && options.profile && options.into && options.as) {
  save(rest[0], options)
} else {
  console.error(readFileSync(fileURLToPath(import.meta.url), 'utf8').match(/^\/\/\tnode .*$/gm).join('\n'))
  process.exitCode = 2
}
