// Tests an adapter against saved pages, and saves them:
//
//	node adapter.mjs check [--update] FOLDER...
//	node adapter.mjs change [--most N] [--verbose] FOLDER...
//	node adapter.mjs save --profile DIR --into FOLDER --as NAME [--origin ORIGIN] ADDRESS
//
// A folder has pages and pages.json: {adapter, pages: [{file, url, read, of,
// result or error, writes: [{read, of, result or error}]}]}. check opens each
// page at its url, calls the method read of the adapter's Pages with the
// argument of, and compares the result or the fault's code. --update writes what
// the adapter reads now. The exit status is 1 when a page differs.
//
// change does so with changed pages, at up to N places for each kind of change
// (a fraction tries a part of the pages): the adapter must read them right or
// notice the change. The exit status is 1 when one is read wrong in silence.
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
import { isRight, mutations, wordsOf } from './mutations.mjs'

const here = dirname(fileURLToPath(import.meta.url))

const globals = ['document', 'location', 'history', 'DOMParser', 'MutationObserver', 'Event', 'PopStateEvent', 'CSS', 'scrollTo', 'dispatchEvent']

/** An adapter; called with the globals of a window, it returns {openPages}. */
async function load(name) {
  const { outputFiles: [code] } = await build({
    absWorkingDir: here, entryPoints: ['src/adapters/pages.ts'], bundle: true, format: 'iife', globalName: 'adapter', write: false, define: { ADAPTER: JSON.stringify(name) },
  })
  return new Function(...globals, 'fetch', 'setTimeout', `${code.text}\nreturn adapter`)
}

const settings = { disableCSSFileLoading: true, disableJavaScriptFileLoading: true, handleDisabledFileLoadingAsSuccess: true }

/** The writes of Pages: each gets the actor and the rest of its input. */
const writes = {
  doLike: (pages, { company }) => pages.doLike(actorOf(pages, company)),
  doComment: (pages, { company, text }) => pages.doComment(actorOf(pages, company), text),
  doMessage: (pages, { text }) => pages.doMessage(text),
  doInvite: (pages, { text }) => pages.doInvite(text),
  doWithdraw: pages => pages.doWithdraw(),
}
const actorOf = (pages, company) => pages.actor(company ? 'company' : undefined, company)

/**
 * Resolves to the button that is pressed on a page, with the fields of its
 * form. As the site's script does, it turns the form's buttons on after an
 * input.
 */
const pressed = document => new Promise(resolve => {
  document.addEventListener('input', event => event.target.form?.querySelectorAll('button').forEach(button => { button.disabled = false }))
  document.addEventListener('click', event => {
    event.preventDefault()
    event.stopImmediatePropagation()
    const { form } = event.target
    const fields = [...form?.querySelectorAll('[name]') ?? []].map(field => [field.name, field.value])
    resolve({ pressed: wordsOf(event.target).map(node => node.data.trim()).join(' '), action: form?.getAttribute('action') ?? '', fields: Object.fromEntries(fields) })
  }, true)
})

/**
 * What the adapter reads on a page: {result} or {error}, the code of its fault
 * and the reason, and the account that it noted. The result of a write is the
 * button that it presses. A saved page does not change, so an adapter need not
 * wait longer than that, in milliseconds; quick leaves out all waiting.
 */
async function read(adapter, html, { url, read: method, of }, { quick = false, ms = quick ? 50 : 5000 } = {}) {
  const window = new Window({ url, settings })
  window.document.write(html)
  const scope = globals.map(name => typeof window[name] === 'function' && /^[a-z]/.test(name) ? window[name].bind(window) : window[name])
  const fetchSaved = async () => ({ status: 200, text: async () => html })
  const after = quick ? action => setTimeout(action, 1) : setTimeout
  let timer, pages
  const late = new Promise((_, reject) => { timer = setTimeout(reject, ms, { code: 'timeout', message: 'the adapter waits: it takes the page for one that is still loading' }) })
  try {
    pages = adapter(...scope, fetchSaved, after).openPages()
    const more = method === 'posts' ? [1, new AbortController().signal] : []
    const button = pressed(window.document)
    const done = method in writes ? Promise.race([writes[method](pages, of), button]) : pages[method](of, ...more)
    return { result: JSON.parse(JSON.stringify(await Promise.race([done, late]) ?? null)), account: pages.account }
  } catch (failure) {
    return { error: failure.code ?? 'internal', why: failure.message, account: pages?.account }
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

/** What is read from each page, and written on it, with the page that it is of. */
const readingsOf = list => list.pages.flatMap(of => [of, ...of.writes ?? []].map(page => ({ page, of })))

async function check(folder, update) {
  const file = join(folder, 'pages.json')
  const list = JSON.parse(readFileSync(file, 'utf8'))
  const adapter = await load(list.adapter)
  let failed = 0
  const readings = readingsOf(list)
  const all = await Promise.all(readings.map(({ page, of }) => read(adapter, readFileSync(join(folder, of.file), 'utf8'), { url: of.url, ...page })))
  for (const [n, { page, of }] of readings.entries()) {
    const seen = all[n]
    if (update) {
      delete page.result
      delete page.error
      Object.assign(page, seen.error ? { error: seen.error } : { result: seen.result })
    }
    const problem = problemOf(page, seen)
    if (problem) failed++
    console.log(`${problem ? 'FAIL' : 'ok  '} ${folder}/${of.file}: ${page.read}${problem ? `\n     ${problem}` : ''}`)
  }
  if (update) writeFileSync(file, JSON.stringify(list, null, 1) + '\n')
  return failed
}

/** What came of a changed page: right, noticed, waits (the task ends with a timeout) or wrong. */
function outcomeOf(before, after, change, { company }) {
  if (after.account && before.account && !isRight(before.account, after.account, change)) return 'wrong'
  if (after.error === 'company_not_managed' && change.asked.some(([was]) => was === company)) return 'right' // it has another name now
  if (after.error === 'page_not_understood' && after.why) return before.error === after.error ? 'right' : 'noticed'
  if (after.error === 'timeout') return 'waits'
  if (before.error || after.error) return before.error === after.error && before.why === after.why ? 'right' : 'wrong'
  return isRight(before.result, after.result, change) ? 'right' : 'wrong'
}

/** How a wrong reading differs. */
const wrongly = (before, after) => after.error ? `${after.error}: ${after.why}`
  : before.error ? `it was read, expected ${before.error}`
  : [...differences(before.result, after.result), ...differences(before.account, after.account, 'account')].slice(0, 2).join('; ')

/**
 * Reads each page of a folder with one change after the other, at most so many
 * of a kind, and prints what came of each kind. Returns the number of readings
 * that are wrong although the adapter noticed nothing.
 */
async function change(folder, most, verbose) {
  const list = JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8'))
  const adapter = await load(list.adapter)
  const parser = new Window({ settings })
  const outcomes = {}
  let tried = 0, wrong = 0
  for (const { page: reading, of } of readingsOf(list)) {
    const html = readFileSync(join(folder, of.file), 'utf8')
    const page = { url: of.url, ...reading }
    const before = await read(adapter, html, page, { quick: true })
    const parse = () => new parser.DOMParser().parseFromString(html, 'text/html')
    for (const changed of mutations(parse, of.file + JSON.stringify(page.of) + page.read, most)) {
      const after = await read(adapter, changed.html, page, { quick: true })
      const outcome = outcomeOf(before, after, changed, page.of)
      const counts = outcomes[changed.name] ??= { right: 0, noticed: 0, waits: 0, wrong: 0 }
      counts[outcome]++
      tried++
      if (verbose && outcome === 'noticed') console.log(`     ${of.file}: ${page.read}: ${changed.name}: ${changed.place}: ${after.why}`)
      if (outcome !== 'wrong') continue
      wrong++
      console.log(`WRONG ${folder}/${of.file}: ${page.read}: ${changed.name}: ${changed.place}\n     ${wrongly(before, after)}`)
    }
  }
  await parser.happyDOM.close()
  console.log(`\n${folder}: ${tried} changes`)
  console.table(outcomes)
  return wrong
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
  options: { update: { type: 'boolean', default: false }, profile: { type: 'string' }, into: { type: 'string' }, as: { type: 'string' }, origin: { type: 'string' }, most: { type: 'string', default: '1' }, verbose: { type: 'boolean', default: false } },
})
if (command === 'check' && rest.length > 0) {
  let failed = 0
  for (const folder of rest) failed += await check(folder, options.update)
  if (failed > 0) console.log(`${failed} saved ${failed === 1 ? 'page is' : 'pages are'} not read as expected`)
  process.exitCode = failed > 0 ? 1 : 0
} else if (command === 'change' && rest.length > 0) {
  let wrong = 0
  for (const folder of rest) wrong += await change(folder, Number(options.most), options.verbose)
  console.log(`${wrong} changed pages were read wrong in silence`)
  process.exitCode = wrong > 0 ? 1 : 0
} else if (command === 'save' && rest.length === 1 && options.profile && options.into && options.as) {
  save(rest[0], options)
} else {
  console.error(readFileSync(fileURLToPath(import.meta.url), 'utf8').match(/^\/\/\tnode .*$/gm).join('\n'))
  process.exitCode = 2
}
