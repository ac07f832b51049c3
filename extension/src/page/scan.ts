import type { PostsList } from '../network/adapter'
import { Fault } from '../shared/fault'
import { MAX_PART_BYTES, MAX_PART_POSTS, MAX_SCAN_POSTS, SCAN_MS, type Post, type ScanInput } from '../shared/protocol'
import { fields } from './input'
import { jsonBytes } from './size'
import type { Read, Run } from './task'

/** Bounds the posts of a part; the frame around them is small. */
const maxPartBytes = MAX_PART_BYTES - 4096

/** keyword_scan and forum_scan: the results of the network's search. */
const search = (of: 'search' | 'forum'): Read<ScanInput> => (input, run) => {
  const { keyword } = fields(input, { keyword: 'text' })
  if (keyword.trim() === '') throw new Fault('invalid_input', 'no keyword')
  return new Scan(run, { of, keyword }, sinceOf(input)).pages()
}

export const keywordScan = search('search')
export const forumScan = search('forum')

/** people_scan: a member's posts. */
export const peopleScan: Read<ScanInput> = (input, run) =>
  new Scan(run, { of: 'member', ref: fields(input, { profile: 'text' }).profile }, sinceOf(input)).pages()

/** company_scan: a company's posts. */
export const companyScan: Read<ScanInput> = (input, run) =>
  new Scan(run, { of: 'company', ref: fields(input, { company: 'text' }).company }, sinceOf(input)).pages()

/** The time up to which the scan looks back, in milliseconds. */
function sinceOf(input: unknown): number {
  const { since } = fields(input, { since: 'text' })
  if (since === '') return -Infinity
  const at = Date.parse(since)
  if (Number.isNaN(at)) throw new Fault('invalid_input', 'input: since')
  return at
}

/** Collects the posts of a scan and sends them in parts. */
export class Scan {
  private readonly known = new Set<string>()
  private posts: Post[] = []
  private size = 0

  constructor(private readonly run: Run, private readonly list: PostsList, private readonly since: number, private readonly ms = SCAN_MS) {}

  /**
   * Pages through the list from the newest post back to since. It stops early,
   * and reports so, at the maximum number of posts or at the time limit.
   */
  async pages(): Promise<{ posts: Post[]; exhausted: boolean }> {
    const over = AbortSignal.timeout(this.ms)
    let exhausted = false
    try {
      exhausted = await this.read(AbortSignal.any([this.run.signal, over]))
    } catch (failure) {
      // Only the time limit ended, not the task: the posts so far count.
      if (this.run.signal.aborted || !over.aborted || this.known.size === 0) throw failure
    }
    return { posts: this.posts, exhausted }
  }

  /** Reads page after page; true when it reached the end of the list or since. */
  private async read(signal: AbortSignal): Promise<boolean> {
    for (let n = 1; ; n++) {
      const { posts, more } = await this.run.pages.posts(this.list, n, signal)
      for (const post of posts) {
        if (Date.parse(post.posted_at) < this.since) return true
        if (this.known.has(post.urn)) continue // newer posts have pushed it to the next page
        if (this.known.size >= MAX_SCAN_POSTS) return false
        await this.add(post)
      }
      if (!more) return true
      if (signal.aborted) throw new Fault('timeout', 'the time of the scan is over')
    }
  }

  /**
   * Adds a post, and sends a part when there are enough. Skips a post that is
   * too large to report.
   */
  private async add(post: Post): Promise<void> {
    this.known.add(post.urn)
    const bytes = jsonBytes(post)
    if (bytes > maxPartBytes) return
    if (this.posts.length === MAX_PART_POSTS || this.size + bytes + 1 > maxPartBytes) {
      const part = this.posts
      this.posts = []
      this.size = 0
      await this.run.part(part)
    }
    this.posts.push(post)
    this.size += bytes + 1
  }
}
