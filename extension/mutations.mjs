// Changes of pages as networks make them: elements are removed, renamed, moved,
// wrapped, inserted and translated. An adapter must read a changed page right
// or notice the change; adapter.mjs tries every adapter with them.

/** The words of an element's own text nodes. */
export const wordsOf = element => [...element.childNodes].filter(node => node.nodeType === 3 && /\S/.test(node.data))
const marks = /^(class|role|rel|aria-label)$/
const facts = /^(data-|aria-(?!label|hidden|live)|id$|href$|src$|datetime$|value$|name$|for$|action$|alt$|title$)/
const has = names => element => [...element.attributes].some(({ name }) => names.test(name))
const holdsWords = element => wordsOf(element).length > 0
const hasText = element => /\S/.test(element.textContent)
const isEntry = element => [...element.parentElement.children].filter(one => one.localName === element.localName).length > 1
const isList = element => /^(ul|ol|table|tbody|section|div|main)$/.test(element.localName) && element.children.length > 0
const isFrame = element => /^(body|main|section|article|header|footer|div|aside|form|ul)$/.test(element.localName)

/** Other words, as a translation has: each word backwards. */
export const translated = text => text.replace(/\p{L}+/gu, word => [...word].reverse().join(''))

/** The edit of a text when an element in it goes elsewhere: a post without one of its hashtags is another post. */
function edit(element, change) {
  const text = element.parentElement, was = text.textContent
  change(element)
  return wordsOf(text).length > 0 ? [[was, text.textContent]] : []
}

/** Changes the own words of an element; returns what each became. */
function reword(element, change) {
  return wordsOf(element).map(node => {
    const was = node.data
    node.data = change(was)
    return [was, node.data]
  }).filter(([was, is]) => was !== is)
}

function renamed(element, names, rename) {
  for (const { name, value } of [...element.attributes].filter(one => names.test(one.name))) rename(element, name, value)
}

/** An element with the same attributes and children. */
function copy(element, tag) {
  const made = element.ownerDocument.createElement(tag)
  for (const { name, value } of element.attributes) made.setAttribute(name, value)
  made.append(...element.childNodes)
  return made
}

const made = (element, html) => {
  const box = element.ownerDocument.createElement('div')
  box.innerHTML = html
  return [...box.childNodes]
}
const inside = html => element => { element.append(...made(element, html)) }
const before = html => element => { element.before(...made(element, html)) }
const after = html => element => { element.after(...made(element, html)) }

/** A copy of an entry with other numbers and other words: another entry. */
function another(entry, label) {
  const clone = entry.cloneNode(true)
  for (const one of [clone, ...clone.querySelectorAll('*')]) {
    for (const { name, value } of [...one.attributes]) one.setAttribute(name, value.replace(/\d{5,}/g, digits => `9${digits}`))
  }
  if (label) clone.prepend(...made(entry, label))
  return clone
}

const dialog = '<div role="dialog" aria-label="Try more" class="name dialog"><h1>Try more</h1><h2>Less than you think</h2><p>One month is free.</p><form><textarea></textarea><button>Start</button></form><button aria-label="Close">×</button></div>'
const banner = '<div class="banner" role="banner"><p>We have new terms.</p><p>Please read them.</p><a href="/terms">Terms</a><button>Accept</button></div>'

/**
 * The kinds of changes. at tells where one fits; change may return the words
 * that it replaced: a reading with the new words is right too. edits: so is one
 * without an element that stood in a text. moves: so is one in another order.
 */
const kinds = [
  // removed
  { name: 'remove an element', at: () => true, change: one => one.remove(), edits: true },
  { name: 'remove an entry', at: isEntry, change: one => one.remove(), edits: true },
  { name: 'remove words', at: holdsWords, change: one => wordsOf(one).forEach(node => node.remove()) },
  { name: 'empty an element', at: hasText, change: one => one.replaceChildren() },
  { name: 'remove all but two entries', at: one => one.children.length > 2, change: one => [...one.children].slice(2).forEach(child => child.remove()) },
  { name: 'remove all but two entries: Load more', at: one => one.children.length > 2, change: one => { [...one.children].slice(2).forEach(child => child.remove()); one.after(...made(one, '<button>Load more</button>')) } },
  { name: 'remove all entries', at: one => one.children.length > 1, change: one => [...one.children].forEach(child => child.remove()) },
  { name: 'remove a fact', at: has(facts), change: one => renamed(one, facts, (it, name) => it.removeAttribute(name)), each: facts, body: true },
  // renamed
  { name: 'rename a mark', at: has(marks), change: one => renamed(one, marks, (it, name, value) => it.setAttribute(name, value.replace(/\S+/g, 'x$&'))), each: marks, body: true },
  { name: 'rename an attribute', at: has(facts), change: one => renamed(one, facts, (it, name, value) => { it.removeAttribute(name); it.setAttribute(`data-x-${name}`, value) }), each: facts, body: true },
  { name: 'make it a div', at: one => one.localName !== 'div', change: one => one.replaceWith(copy(one, 'div')) },
  { name: 'make it a span', at: one => !/^(span|body)$/.test(one.localName), change: one => one.replaceWith(copy(one, 'span')) },
  // moved
  { name: 'move to the end', at: one => one.nextElementSibling, change: one => one.parentElement.append(one), moves: true, edits: true },
  { name: 'move to the start', at: one => one.previousElementSibling, change: one => one.parentElement.prepend(one), moves: true, edits: true },
  { name: 'swap with the next', at: one => one.nextElementSibling, change: one => one.nextElementSibling.after(one), moves: true, edits: true },
  { name: 'move into the one before', at: one => one.previousElementSibling, change: one => one.previousElementSibling.append(one), edits: true },
  { name: 'move out of its parent', at: one => one.parentElement.localName !== 'body', change: one => one.parentElement.after(one), edits: true },
  { name: 'repeat', at: () => true, change: one => one.after(one.cloneNode(true)), edits: true },
  // wrapped
  { name: 'wrap', at: () => true, change: one => { const div = one.ownerDocument.createElement('div'); one.replaceWith(div); div.append(one) } },
  { name: 'wrap the contents', at: one => one.childNodes.length > 0, change: one => { const div = one.ownerDocument.createElement('div'); div.append(...one.childNodes); one.append(div) } },
  { name: 'unwrap', at: one => one.childNodes.length > 0, change: one => one.replaceWith(...one.childNodes) },
  // inserted
  { name: 'insert pronouns, a line', at: hasText, change: one => one.after(...made(one, '<p>(he/him)</p>')) },
  { name: 'insert pronouns, an element like the next', at: one => one.nextElementSibling && hasText(one.nextElementSibling), change: one => { const line = one.nextElementSibling.cloneNode(false); line.textContent = '(he/him)'; one.after(line) } },
  { name: 'insert pronouns in a text', at: holdsWords, change: inside('<span class="pronouns"> (he/him)</span>') },
  { name: 'insert a badge in a text', at: holdsWords, change: inside('<span title="Verified">✓</span>') },
  { name: 'insert a badge with words in a text', at: holdsWords, change: inside('<b>Premium</b>') },
  { name: 'insert a picture before', at: hasText, change: before('<img src="/media/badges/1.svg" alt="Premium">') },
  { name: 'insert a badge before', at: hasText, change: before('<span class="badge">Premium</span>') },
  { name: 'insert “• Following” in a text', at: holdsWords, change: inside('<span> • Following</span>') },
  { name: 'insert “Follow” after', at: hasText, change: after('<button aria-pressed="false">Follow</button>') },
  { name: 'insert “see more”, a button', at: holdsWords, change: inside('<button>… see more</button>') },
  { name: 'insert “see more”, a link', at: holdsWords, change: inside('<a href="#">… see more</a>') },
  { name: 'insert the text again for screen readers', at: holdsWords, change: one => one.append(...made(one, `<span class="visually-hidden">${wordsOf(one)[0].data.replace(/</g, '&lt;')}</span>`)) },
  { name: 'insert “Show all 8”, an entry', at: isList, change: one => { const entry = one.ownerDocument.createElement(one.lastElementChild.localName); entry.append(...made(one, '<a href="/all">Show all 8 skills</a>')); one.append(entry) } },
  { name: 'insert “Show all 8” after', at: isList, change: after('<p><a href="/all">Show all 8 skills</a></p>') },
  { name: 'insert a banner', at: isFrame, change: one => one.prepend(...made(one, banner)), body: true },
  { name: 'insert a dialog', at: isFrame, change: inside(dialog), body: true },
  { name: 'insert an advert, an element', at: isEntry, change: one => one.before(...made(one, '<div class="ad"><h1>Advert</h1><a href="/ad">Buy</a><p>Now</p><time datetime="2030-01-01T00:00:00Z">now</time></div>')) },
  { name: 'insert an advert, an entry', at: isEntry, change: one => { const entry = one.ownerDocument.createElement(one.localName); entry.append(...made(one, '<a href="/ad">Promoted</a>')); one.before(entry) } },
  { name: 'insert a promoted entry', at: isEntry, change: one => one.before(another(one, '<span>Promoted</span>')) },
  { name: 'insert an entry that loads', at: isEntry, change: one => { const entry = another(one); for (const it of [entry, ...entry.querySelectorAll('*')]) wordsOf(it).forEach(node => node.remove()); one.after(entry) } },
  { name: 'insert another button before', at: one => one.localName === 'button', change: before('<button type="button" aria-label="Emoji">☺</button>') },
  // translated
  { name: 'translate words', at: one => /\p{L}/u.test(wordsOf(one).map(node => node.data).join('')), change: one => reword(one, translated) },
  { name: 'translate a label', at: has(/^(aria-label|title|placeholder|alt)$/), change: one => [...one.attributes].filter(({ name }) => /^(aria-label|title|placeholder|alt)$/.test(name)).map(({ name, value }) => { one.setAttribute(name, translated(value)); return [value, translated(value)] }) },
  { name: 'translate the page', at: one => one.localName === 'body', change: one => [one, ...one.querySelectorAll('*')].flatMap(it => /^(script|style)$/.test(it.localName) ? [] : reword(it, translated)), body: true },
  { name: 'translate the page as a browser does', at: one => one.localName === 'body', change: one => [one, ...one.querySelectorAll('*')].filter(it => !/^(script|style|title|textarea|option)$/.test(it.localName)).flatMap(it => wordsOf(it).map(node => { const font = it.ownerDocument.createElement('font'), was = node.data; node.replaceWith(font); font.textContent = translated(was); return [was, translated(was)] })), body: true },
  { name: 'write a number with a comma', at: one => /\d[\u202f  .]\d{3}/.test(wordsOf(one).map(node => node.data).join('')), change: one => reword(one, text => text.replace(/(\d)[\u202f  .](?=\d{3})/g, '$1,')) },
  { name: 'round a number', at: one => /\d/.test(wordsOf(one).map(node => node.data).join('')), change: one => reword(one, text => text.replace(/\d[\d\u202f]*/, '$&K')) },
]

/** A number from a text, always the same. */
const numberOf = text => [...text].reduce((sum, letter) => Math.imul(sum ^ letter.codePointAt(0), 16777619) >>> 0, 2166136261)

/**
 * Changed pages: {name, place, html, asked, moves}. A kind is tried at up to
 * most places of the page, spread by the seed.
 */
export function* mutations(parse, seed, most) {
  const places = document => [document.body, ...document.body.querySelectorAll('*')].filter(one => !/^(script|style|link|option)$/.test(one.localName))
  const names = (one, kind) => kind.each ? [...one.attributes].map(({ name }) => name).filter(name => kind.each.test(name)) : [undefined]
  const fresh = parse()
  for (const kind of kinds) {
    const fit = places(fresh).flatMap((one, n) => (one.localName !== 'body' || kind.body) && kind.at(one) ? names(one, kind).map(name => [n, name]) : [])
    const step = Math.max(1, fit.length / most), first = numberOf(seed + kind.name) % Math.ceil(step)
    for (let at = first; at < fit.length; at += step) {
      const [n, name] = fit[Math.floor(at)]
      const document = parse(), element = places(document)[n]
      const place = short(element) + (name ? ` ${name}` : '')
      const asked = name ? kind.change(one(element, name)) : kind.edits ? edit(element, kind.change) : kind.change(element)
      yield { name: kind.name, place, html: `<!DOCTYPE html>\n${document.documentElement.outerHTML}`, asked: Array.isArray(asked) ? asked : [], moves: Boolean(kind.moves) }
    }
  }
}

/** The element as one that has only that attribute. */
const one = (element, name) => ({
  attributes: [...element.attributes].filter(it => it.name === name),
  setAttribute: (key, value) => element.setAttribute(key, value), removeAttribute: key => element.removeAttribute(key),
})

const short = element => `${element.localName}${[...element.attributes].slice(0, 2).map(({ name, value }) => `[${name}="${value.slice(0, 30)}"]`).join('')} “${element.textContent.trim().slice(0, 30).replace(/\s+/g, ' ')}”`

/** Whether two values differ in nothing but what was asked. */
function same(was, is, asked) {
  if (typeof was === 'string' && typeof is === 'string') return was === is || asked.some(([from, to]) => was === from && is === to) || asked.reduce((text, [from, to]) => text.replaceAll(from.trim(), to.trim()), was) === is || asked.length > 1 && translated(was) === is
  if (typeof was !== 'object' || typeof is !== 'object' || was === null || is === null) return was === is
  const keys = Object.keys(was)
  return keys.length === Object.keys(is).length && keys.every(key => key in is && same(was[key], is[key], asked))
}

const sorted = value => Array.isArray(value) ? value.map(sorted).sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
  : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, sorted(one)])) : value

/** Whether a reading of a changed page is right: as before, or as the change itself says. */
export const isRight = (was, is, { asked, moves }) => same(was, is, asked) || moves && same(sorted(was), sorted(is), [])
