import type { PostsList } from '../network/adapter'
import { Fault } from '../shared/fault'
import type { CompanyInput, Post, ProfilesPostsInput } from '../shared/protocol'
import { fields } from './input'
import { jsonBytes } from './size'
import type { Read, Run } from './task'

/** Bounds the posts of a task that fetches posts, because its output is one frame. */
const maxBytes = 900 << 10

/**
 * agent_profiles_posts_fetch: the newest posts of several members. An unknown
 * member has none; not_found when all are unknown.
 */
export const profilesPosts: Read<ProfilesPostsInput> = async (input, run) => {
  const { profile_urns: urns } = fields(input, { profile_urns: 'texts' })
  if (urns.length === 0) throw new Fault('invalid_input', 'no profile_urns')
  const fetched = new Fetched(run)
  let found = false, missing: unknown
  for (const ref of urns) {
    try {
      await fetched.add({ of: 'member', ref })
      found = true
    } catch (failure) {
      if (!(failure instanceof Fault && failure.code === 'not_found')) throw failure
      missing = failure
    }
  }
  if (!found) throw missing
  return { posts: fetched.posts }
}

/** agent_company_posts_fetch: a company's newest posts. */
export const companyPosts: Read<CompanyInput> = async (input, run) => {
  const fetched = new Fetched(run)
  await fetched.add({ of: 'company', ref: fields(input, { company_slug: 'text' }).company_slug })
  return { posts: fetched.posts }
}

/** Collects the newest posts of authors, from their first page, up to the bound. */
class Fetched {
  readonly posts: Post[] = []
  private size = 0

  constructor(private readonly run: Run) {}

  async add(list: PostsList): Promise<void> {
    for (const post of (await this.run.pages.posts(list, 1, this.run.signal)).posts) {
      const bytes = jsonBytes(post) + 1
      if (this.size + bytes > maxBytes) return
      this.size += bytes
      this.posts.push(post)
    }
  }
}
