import { describe, expect, it } from 'vitest'
import type { Pages, PostsPage } from '../src/network/adapter'
import { companyPosts } from '../src/page/author_posts'
import { keywordScan, Scan } from '../src/page/scan'
import type { Run } from '../src/page/task'
import { Fault } from '../src/shared/fault'
import { MAX_PART_BYTES, MAX_PART_POSTS, MAX_SCAN_POSTS, type Post } from '../src/shared/protocol'

/** Post number n; greater numbers are older. */
const post = (n: number, content = 'text'): Post => ({
  urn: `urn:n:${n}`, url: '', content, author_name: '', author_url: '', author_headline: '', author_image_url: '',
  posted_at: new Date(Date.UTC(2030, 0, 9) - n * 1000).toISOString(), likes_count: 0, comments_count: 0, shares_count: 0, post_type: 'text',
})

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => post(from + i))

/** A run on given pages, which records the parts. */
function runOn(page: (n: number, signal: AbortSignal) => Promise<PostsPage>) {
  const parts: Post[][] = []
  const control = new AbortController()
  const pages = { posts: (_list: unknown, n: number, signal: AbortSignal) => page(n, signal) } as Partial<Pages> as Pages
  const run: Run = { pages, signal: control.signal, part: async posts => { parts.push(posts) } }
  return { run, parts, control }
}

const list = { of: 'search', keyword: 'x' } as const

describe('a scan', () => {
  it('reads to the end of the list and sends full parts before that', async () => {
    const all = range(0, 450)
    const { run, parts } = runOn(async n => ({ posts: all.slice((n - 1) * 25, n * 25), more: n * 25 < all.length }))
    const output = await new Scan(run, list, -Infinity).pages()
    expect(output.exhausted).toBe(true)
    expect(parts.map(part => part.length)).toEqual([MAX_PART_POSTS, MAX_PART_POSTS])
    expect([...parts.flat(), ...output.posts]).toEqual(all)
  })

  it('ends at since, and keeps posts of that time', async () => {
    const { run } = runOn(async n => ({ posts: range((n - 1) * 10, n * 10), more: true }))
    const output = await keywordScan({ keyword: 'x', since: post(14).posted_at }, run) as { posts: Post[]; exhausted: boolean }
    expect(output).toEqual({ posts: range(0, 15), exhausted: true })
  })

  it('skips a post that newer ones pushed to the next page', async () => {
    const pages = [range(0, 10), range(8, 18)]
    const { run } = runOn(async n => ({ posts: pages[n - 1]!, more: n < 2 }))
    expect((await new Scan(run, list, -Infinity).pages()).posts).toEqual(range(0, 18))
  })

  it('stops at the maximum number of posts and reports that there are more', async () => {
    const { run, parts } = runOn(async n => ({ posts: range((n - 1) * 400, n * 400), more: true }))
    const output = await new Scan(run, list, -Infinity).pages()
    expect(output.exhausted).toBe(false)
    expect(parts.flat().length + output.posts.length).toBe(MAX_SCAN_POSTS)
  })

  it('keeps parts small and omits posts that are too large for one', async () => {
    const posts = [post(0, 'é'.repeat(200_000)), post(1, 'é'.repeat(100_000)), post(2), post(3, 'x'.repeat(MAX_PART_BYTES)), post(4)]
    const { run, parts } = runOn(async () => ({ posts, more: false }))
    const output = await new Scan(run, list, -Infinity).pages()
    const urns = (some: Post[]) => some.map(p => p.urn)
    expect(parts.map(urns)).toEqual([['urn:n:0']])
    expect(urns(output.posts)).toEqual(['urn:n:1', 'urn:n:2', 'urn:n:4'])
    for (const part of parts) expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(MAX_PART_BYTES)
  })

  it('reports the posts so far when its time is over', async () => {
    const { run } = runOn((n, signal) => n === 1
      ? Promise.resolve({ posts: range(0, 3), more: true })
      : new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Fault('timeout', 'no answer')))))
    expect(await new Scan(run, list, -Infinity, 5).pages()).toEqual({ posts: range(0, 3), exhausted: false })
  })

  it('fails when its time is over without a post', async () => {
    const { run } = runOn((_n, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Fault('timeout', 'no answer')))))
    await expect(new Scan(run, list, -Infinity, 5).pages()).rejects.toMatchObject({ code: 'timeout' })
  })

  it('fails with a failed page, and when it is cancelled', async () => {
    const broken = runOn(async n => {
      if (n === 2) throw new Fault('page_not_understood', 'new look')
      return { posts: range(0, 3), more: true }
    })
    await expect(new Scan(broken.run, list, -Infinity).pages()).rejects.toMatchObject({ code: 'page_not_understood' })
    const stopped = runOn(async (n, signal) => {
      if (n === 2) stopped.control.abort()
      signal.throwIfAborted()
      return { posts: range(0, 3), more: true }
    })
    await expect(new Scan(stopped.run, list, -Infinity).pages()).rejects.toThrow()
  })
})

it('posts of authors are limited to one frame', async () => {
  const { run } = runOn(async () => ({ posts: Array.from({ length: 20 }, (_, i) => post(i, 'x'.repeat(100 << 10))), more: true }))
  const { posts } = await companyPosts({ company_slug: 'acme' }, run) as { posts: Post[] }
  expect(posts.length).toBe(8)
  expect(Buffer.byteLength(JSON.stringify({ posts }))).toBeLessThan(900 << 10)
})
