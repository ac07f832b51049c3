// The adapter of the single-page site, on the site's own script with a given
// API.

import { buildSync } from 'esbuild'
import { Window } from 'happy-dom'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Fault, taskError } from '../src/shared/fault'
import { accountIn, forumOf, originsOf, startOf } from '../src/single_page/addresses'
import { openPages } from '../src/single_page/pages'
import { Screen, until, type Sight } from '../src/rendered/screen'

const app = buildSync({ entryPoints: ['../internal/fakenetwork/app/app.js'], bundle: true, format: 'iife', write: false }).outputFiles[0]!.text

afterEach(() => vi.unstubAllGlobals())

/** Makes a window's globals those of the test. */
function openWindow(url: string, html = ''): Window {
  const window = new Window({ url, settings: { disableCSSFileLoading: true, disableJavaScriptFileLoading: true, handleDisabledFileLoadingAsSuccess: true } })
  window.document.write(html)
  for (const name of ['document', 'location', 'history', 'MutationObserver', 'Event', 'PopStateEvent', 'FormData', 'CSS', 'innerHeight'] as const) vi.stubGlobal(name, window[name])
  for (const name of ['scrollTo', 'dispatchEvent', 'addEventListener', 'removeEventListener'] as const) vi.stubGlobal(name, (window[name] as (...args: unknown[]) => unknown).bind(window))
  return window
}

type Answer = object | ((form: URLSearchParams) => object | undefined)

/** Opens the site at a path; answers are those of its API. */
function openSite(path: string, answers: Record<string, Answer>) {
  const posts: string[] = []
  openWindow(`http://network.test${path}`, '<!doctype html><html><head></head><body><div id="root"></div><div id="messages"></div></body></html>')
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const url = new URL(input, 'http://network.test'), asked = url.pathname.replace(/^\/api/, '') + url.search
    if (init?.method === 'POST') posts.push(asked)
    const answer = answers[(init?.method === 'POST' ? 'POST ' : '') + asked]
    const body = typeof answer === 'function' ? answer(new URLSearchParams(init?.body as string)) : answer
    if (!body) throw new TypeError('connection closed')
    return new Response(JSON.stringify({ layout: 'a', title: 'T', csrf: 'token', viewer, ...body }))
  })
  new Function(app)()
  return { posts }
}

const viewer = { urn: 'urn:network:member:1', slug: 'ada', name: 'Ada', companies: [{ urn: 'urn:network:company:9', slug: 'acme', name: 'Acme', path: '/company/acme', image: '/media/companies/9.svg' }] }
const jan = { urn: 'urn:network:member:2', slug: 'jan', name: 'Jan', headline: 'h', path: '/in/jan', image: '/media/members/2.svg' }
const post = (n: number) => ({ urn: `urn:network:activity:${n}`, path: `/posts/x-${n}`, author: jan, content: `Post ${n}`, type: 'text', posted_at: '2030-01-01T00:00:00Z', likes: n, comments: 0, shares: 1 })
const profile = { ...jan, location: 'Bern', about: 'a', industry: 'i', connections: 1, followers: 1, positions: [], education: [], skills: [], degree: 2 }
const onPost = { kind: 'post', post: post(7) }
const applied = { kind: 'applied', applied: {} }
const me = { kind: 'me' }
const signal = new AbortController().signal

const failureOf = (doing: Promise<unknown>) => doing.then(() => undefined, (failure: unknown) => taskError(failure, true))

describe('a list that grows', () => {
  const part = (n: number, more: boolean) => ({ kind: 'search', posts: [post(2 * n), post(2 * n + 1)], paging: { page: n, total: 6, more } })
  const list = { of: 'search', keyword: 'x' } as const

  it('is read to its end, by scrolling', async () => {
    openSite('/search/posts?q=x', { '/search/posts?q=x': part(1, true), '/search/posts?q=x&page=2': part(2, true), '/search/posts?q=x&page=3': part(3, false) })
    const pages = openPages(), read: string[][] = []
    for (let n = 1, more = true; more; n++) {
      const found = await pages.posts(list, n, signal)
      more = found.more
      read.push(found.posts.map(one => one.content))
    }
    expect(read).toEqual([['Post 2', 'Post 3'], ['Post 4', 'Post 5'], ['Post 6', 'Post 7']])
  })

  it('fails when the next part does not come, and when it is no longer needed', async () => {
    openSite('/search/posts?q=x', { '/search/posts?q=x': part(1, true) })
    const pages = openPages()
    expect((await pages.posts(list, 1, signal)).posts).toHaveLength(2)
    expect(await failureOf(pages.posts(list, 2, signal))).toMatchObject({ code: 'timeout' })
    const ended = new AbortController()
    ended.abort()
    expect(await failureOf(openPages().posts(list, 1, ended.signal))).toMatchObject({ code: 'timeout' })
  })

  it('is signed out when the next part says so', async () => {
    openSite('/search/posts?q=x', { '/search/posts?q=x': part(1, true), '/search/posts?q=x&page=2': { kind: 'sign_in', viewer: null } })
    const pages = openPages()
    await pages.posts(list, 1, signal)
    expect(await failureOf(pages.posts(list, 2, signal))).toMatchObject({ code: 'signed_out' })
    expect(pages.account).toMatchObject({ signed_in: false })
  })

  it('goes from page to page by the routing of the site', async () => {
    const part = { kind: 'posts', posts: [post(1)], paging: { page: 1, total: 1, more: false } }
    openSite('/invitations', { '/invitations': { kind: 'invitations' }, '/in/jan/posts': part, '/in/eva/posts': { kind: 'not_found' } })
    const pages = openPages()
    expect((await pages.posts({ of: 'member', ref: 'jan' }, 1, signal)).posts).toHaveLength(1)
    expect(location.pathname).toBe('/in/jan/posts')
    expect(await failureOf(pages.posts({ of: 'member', ref: 'eva' }, 1, signal))).toMatchObject({ code: 'not_found' })
  })
})

describe('a write', () => {
  const like = async (answers: Record<string, Answer>) => {
    const site = openSite('/posts/7', { '/posts/7': onPost, ...answers })
    const pages = openPages()
    await pages.post('7')
    return { ...site, failure: await failureOf(pages.doLike(pages.actor(undefined, undefined))) }
  }

  it('is done when the page shows it', async () => {
    expect(await like({ 'POST /posts/x-7/like': applied })).toEqual({ posts: ['/posts/x-7/like'], failure: undefined })
  })

  it('is sure when the site says why it refused', async () => {
    for (const [answer, code, message, slowDown] of [
      [{ kind: 'limit', limit: { action: 'like', reason: 'daily_limit', resets_at: '2030-01-10T00:00:00Z' } }, 'network_limit', 'daily_limit of like until 2030-01-10T00:00:00Z'],
      [{ kind: 'limit', limit: { action: 'invitation', reason: 'weekly_limit', resets_at: '2030-01-14T00:00:00Z' } }, 'network_limit', 'weekly_limit of invitation until 2030-01-14T00:00:00Z'],
      [{ kind: 'limit', limit: { action: 'any', reason: 'rate_limited' } }, 'network_limit', 'rate_limited of any', true],
      [{ kind: 'refused', reason: 'company_not_managed' }, 'company_not_managed'],
      [{ kind: 'refused', reason: 'invalid' }, 'invalid_input'],
      [{ kind: 'not_found' }, 'not_found'],
    ] as const) {
      expect((await like({ 'POST /posts/x-7/like': answer })).failure).toMatchObject({ code, acted: false, ...message && { message }, ...slowDown && { slow_down: true } })
      vi.unstubAllGlobals()
    }
  })

  it('is not sure without a clear answer, or when the page went elsewhere', async () => {
    for (const answer of [() => undefined, { kind: 'refused', reason: 'mood' }, { kind: 'sign_in', viewer: null }, { kind: 'challenge' }]) {
      expect((await like({ 'POST /posts/x-7/like': answer })).failure).toMatchObject({ code: 'timeout', acted: null })
      vi.unstubAllGlobals()
    }
    let changed = false
    const failure = (await like({ '/posts/7': () => ({ ...onPost, layout: changed ? 'c' : 'a' }), 'POST /posts/x-7/like': () => { changed = true; return { ...applied, layout: 'c' } } })).failure
    expect(failure).toMatchObject({ code: 'timeout', acted: null })
  })

  it('is not sure when the page cannot be read afterwards', async () => {
    let sent = false
    openSite('/posts/7', {
      '/posts/7': () => ({ ...onPost, post: { ...post(7), posted_at: sent ? 'soon' : '2030-01-01T00:00:00Z' } }),
      'POST /posts/x-7/comment': () => { sent = true; return applied },
    })
    const pages = openPages()
    await pages.post('7')
    expect(await failureOf(pages.doComment(pages.actor(undefined, ''), 'Well said'))).toMatchObject({ code: 'timeout', acted: null })
  })

  it('is not sent as another account', async () => {
    const { posts, failure } = await like({
      'POST /posts/x-7/like': { kind: 'refused', reason: 'csrf' }, '/me': { ...me, csrf: 'other', viewer: { ...viewer, urn: 'urn:network:member:2' } },
    })
    expect(posts).toHaveLength(1)
    expect(failure).toMatchObject({ code: 'page_not_understood', acted: false })
  })

  it('is a comment when a new one of the actor is there', async () => {
    const comments: object[] = []
    openSite('/posts/7', {
      '/posts/7': () => ({ ...onPost, comments }),
      'POST /posts/x-7/comment': form => {
        comments.push({ urn: 'urn:network:comment:1', author: jan, text: form.get('text'), posted_at: '2030-01-01T00:00:00Z' })
        comments.push({ urn: 'urn:network:comment:2', author: { ...viewer.companies[0], headline: '' }, text: form.get('text'), posted_at: '2030-01-01T00:00:00Z' })
        return form.get('actor') === 'acme' ? applied : undefined
      },
    })
    const pages = openPages()
    expect((await pages.post('7')).comments).toEqual([])
    expect(await pages.doComment(pages.actor('company', 'Acme'), 'Well\nsaid')).toBe('urn:network:comment:2')
    expect(await failureOf(pages.doComment(pages.actor(undefined, ''), ' '))).toMatchObject({ code: 'invalid_input', acted: false })
    expect(() => pages.actor('company', 'Nobody')).toThrow(/does not manage/)
  })

  it('withdraws an invitation, if one is pending', async () => {
    const withdraw = async (relation: string, answer: Answer = applied) => {
      let now = relation
      const site = openSite('/in/jan', {
        '/in/jan': () => ({ kind: 'profile', profile: { ...profile, relation: now } }),
        'POST /in/jan/withdraw': form => {
          if (answer === applied) now = 'none'
          return typeof answer === 'function' ? answer(form) : answer
        },
      })
      const pages = openPages()
      await pages.profile('jan')
      let slug: string | undefined
      const failure = await failureOf(pages.doWithdraw().then(shown => { slug = shown.slug }))
      vi.unstubAllGlobals()
      return { ...site, slug, failure }
    }
    expect(await withdraw('pending')).toEqual({ posts: ['/in/jan/withdraw'], slug: 'jan', failure: undefined })
    expect((await withdraw('pending', { kind: 'refused', reason: 'no_invitation' })).failure).toMatchObject({ code: 'not_invited', acted: false })
    expect((await withdraw('pending', () => undefined)).failure).toMatchObject({ code: 'timeout', acted: null })
    expect(await withdraw('none')).toMatchObject({ posts: [], failure: { code: 'not_invited', acted: false } })
  })

  it('does not begin on a page in doubt', async () => {
    for (const [answer, code] of [
      [{ ...onPost, layout: 'c' }, 'page_not_understood'], [{ kind: 'not_found' }, 'not_found'], [{ kind: 'challenge' }, 'challenge'],
      [{ kind: 'sign_in', viewer: null }, 'signed_out'], [{ kind: 'feed', posts: [], paging: { page: 1, total: 0, more: false } }, 'page_not_understood'],
    ] as const) {
      const { posts } = openSite('/posts/7', { '/posts/7': answer })
      expect(await failureOf(openPages().doLike({ urn: viewer.urn, company: '' }))).toMatchObject({ code, acted: false })
      expect(posts).toEqual([])
      vi.unstubAllGlobals()
    }
  })

  it('needs the page of the task and its account', async () => {
    let now: object = me
    openSite('/posts/7', { '/posts/7': onPost, '/me': () => now })
    const pages = openPages()
    await pages.post('7')
    await pages.expectAccount(viewer.urn, 'http://network.test/posts/7')
    expect(await failureOf(pages.expectAccount(viewer.urn, '/posts/8'))).toMatchObject({ code: 'timeout', acted: false })
    expect(await failureOf(pages.expectAccount('urn:network:member:2', '/posts/7'))).toMatchObject({ code: 'signed_out' })
    now = { ...me, viewer: { ...viewer, urn: 'urn:network:member:2' } }
    expect(await failureOf(pages.expectAccount(viewer.urn, '/posts/7'))).toMatchObject({ code: 'signed_out' })
    expect(pages.account).toMatchObject({ urn: 'urn:network:member:2' })
    now = { kind: 'sign_in', viewer: null }
    expect(await failureOf(pages.expectAccount(viewer.urn, '/posts/7'))).toMatchObject({ code: 'signed_out' })
    now = { ...me, layout: 'c' }
    expect(await failureOf(pages.expectAccount(viewer.urn, '/posts/7'))).toMatchObject({ code: 'timeout' })
    for (const [answer, code] of [[{ kind: 'sign_in', viewer: null }, 'signed_out'], [{ ...onPost, layout: 'c' }, 'page_not_understood']] as const) {
      vi.unstubAllGlobals()
      openSite('/posts/7', { '/posts/7': answer, '/me': me })
      const page = openPages()
      await page.post('7').catch(() => {})
      expect(await failureOf(page.expectAccount(viewer.urn, '/posts/7'))).toMatchObject({ code, acted: false })
    }
  })
})

describe('the tools for rendered pages', () => {
  const late = () => new Fault('timeout', 'late')
  const change = (text: string) => { document.body.textContent = text }

  it('look again after each change, and never without one', async () => {
    openWindow('http://network.test/')
    let looks = 0
    const found = until(() => {
      looks++
      return document.body.textContent === 'there' ? { done: looks } : 'wait'
    }, late)
    change('not yet')
    await vi.waitFor(() => expect(looks).toBe(2))
    change('there')
    expect(await found).toBe(3)
  })

  it('give a page in doubt time to change', async () => {
    openWindow('http://network.test/')
    const look = () => document.body.textContent === 'there' ? { done: true } : { doubt: new Fault('page_not_understood', 'what?') }
    const found = until(look, late)
    change('there')
    expect(await found).toBe(true)
    change('gone')
    await expect(until(look, late)).rejects.toMatchObject({ code: 'page_not_understood' })
  })

  it('end when the result is no longer needed, and after their time', async () => {
    openWindow('http://network.test/')
    const control = new AbortController()
    const waiting = until(() => 'wait' as const, late, control.signal)
    control.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'timeout' })
    await expect(until(() => 'wait' as const, late, undefined, 1)).rejects.toMatchObject({ code: 'timeout' })
  })

  it('press no button that is off, and do not leave the origin', async () => {
    openWindow('http://network.test/', '<button disabled></button>')
    const screen = new Screen((): Sight => ({ is: 'shown', kind: 'x' }))
    expect(() => screen.press(document.querySelector('button')!, () => false, () => true)).toThrow(/does not accept/)
    await expect(screen.show('https://elsewhere.test/', 'x')).rejects.toMatchObject({ code: 'page_not_understood' })
  })
})

it('knows the origins of the site and where a task begins', () => {
  expect(originsOf('https://network.example')).toEqual(['https://network.example', 'https://forum.network.example'])
  expect(originsOf('http://127.0.0.1:8090')).toEqual(['http://127.0.0.1:8090'])
  expect(forumOf('http://localhost:1')).toBe('http://localhost:1')
  expect(startOf('forum_scan', {}, 'https://network.example')).toBe('https://forum.network.example/forum')
  expect(startOf('agent_like_post', { social_urn: 'https://evil.example/posts/x-7/' }, 'https://network.example')).toBe('/posts/x-7')
})

it('reads the account from the API', () => {
  const read = (data: unknown, status = 200) => accountIn(status, JSON.stringify(data))
  expect(read({ ...me, layout: 'b', viewer })).toEqual({ urn: viewer.urn, slug: 'ada', name: 'Ada', signed_in: true })
  expect(read({ kind: 'sign_in', layout: '' }, 401)).toMatchObject({ signed_in: false })
  expect(read({ kind: 'challenge', layout: 'a' }, 403)).toMatchObject({ signed_in: false, challenge: true })
  for (const unknown of [{ ...me, layout: 'c', viewer }, { ...me, layout: 'a' }, { ...me, layout: 'a', viewer: { urn: '' } }, null, 'x']) expect(read(unknown)).toBeUndefined()
  expect(read({ ...me, layout: 'a', viewer }, 502)).toBeUndefined()
  expect(accountIn(200, '<html>')).toBeUndefined()
})
