import { fields, required } from './input'
import type { CommentInput } from '../shared/protocol'
import { postFields } from './like'
import { postTarget, type Write } from './task'

/** agent_comment_post: the number of the actor's comments with the text. */
export const comment: Write<CommentInput> = {
  async look(input, pages) {
    const { social_urn: ref, actor_type: type, company_title: title, text } = read(input)
    const post = await pages.post(ref)
    const { urn } = pages.actor(type, title)
    const own = post.comments.filter(shown => shown.authorUrn === urn && lines(shown.text) === lines(text))
    return { witness: { count: own.length }, output: outputOf(own.at(-1)?.urn ?? ''), target: postTarget(post) }
  },
  async act(input, pages) {
    const { actor_type: type, company_title: title, text } = read(input)
    return outputOf(await pages.doComment(pages.actor(type, title), text))
  },
}

function read(input: unknown) {
  const { comment_text: text, ...post } = fields(input, { ...postFields, comment_text: 'text' })
  return { ...post, text: required(text, 'comment_text') }
}

const outputOf = (urn: string) => ({ commented: true, comment_urn: urn })

/** A text with the line breaks that a form uses. */
export const lines = (text: string): string => text.replace(/\r\n?/g, '\n')
