import type { LikeInput } from '../shared/protocol'
import { fields } from './input'
import { postTarget, type Write } from './task'

/** The actor and the post of a like or comment. */
export const postFields = { social_urn: 'text', actor_type: 'text', company_title: 'text' } as const

const output = { liked: true }

/** agent_like_post: whether the actor likes the post. */
export const like: Write<LikeInput> = {
  async look(input, pages) {
    const { social_urn: ref, actor_type: type, company_title: title } = fields(input, postFields)
    const post = await pages.post(ref)
    return { witness: { done: post.likedBy.includes(pages.actor(type, title).urn) }, output, target: postTarget(post) }
  },
  async act(input, pages) {
    const { actor_type: type, company_title: title } = fields(input, postFields)
    await pages.doLike(pages.actor(type, title))
    return output
  },
}
