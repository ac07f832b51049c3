import type { Post } from '../shared/protocol'
import type { PostPage, PostsPage } from './adapter'
import { address, agree, attribute, exactly, flag, maybe, moment, name, notUnderstood, one, text, word, type Part } from './markup'
import { actorsOf, counted, counter } from './marks'

/** One page of a list of posts. */
export function postsOf(page: Part): PostsPage {
  const list = one(page, '[data-list]'), more = flag(list, 'data-more')
  const posts = counted(list, 'article.post').map(inList)
  if (posts.length === 0 && more) throw notUnderstood('an empty list of posts that goes on')
  return { posts, more }
}

/** A link to the search for its text. */
const isHashtag = (link: Part) => new URL(attribute(link, 'href'), location.href).searchParams.get('q') === text(link)

/** What a post's own page and a list show of it. */
function postOn(article: Part) {
  return {
    urn: name(article, 'data-urn'), link: one(article, 'a.permalink'), author: one(article, '.by'),
    content: text(one(article, '.content'), isHashtag),
  }
}

/** A post in a list; missing fields are left out. */
function inList(article: Part): Post {
  const { urn, link, author, content } = postOn(article)
  const type = word(article, 'data-type', ['text', 'image', 'video', 'article', 'poll'])
  const images = exactly(article, 'img.picture', type === 'image' ? 1 : 0)
  const videos = exactly(article, 'a.video', type === 'video' ? 1 : 0)
  const caption = maybe(article, '.image-text')
  if (images[0]) agree(caption ? text(caption) : '', attribute(images[0], 'alt'), 'the text of a picture')
  return {
    urn, url: address(link), content, posted_at: moment(one(link, 'time')),
    author_name: text(one(author, 'a.name')), author_url: address(one(author, 'a.name')), author_urn: name(author, 'data-author'),
    author_headline: text(one(author, '.headline')), author_image_url: address(one(author, 'img'), 'src'),
    likes_count: counter(article, 'data.likes'), comments_count: counter(article, 'data.comments'), shares_count: counter(article, 'data.shares'),
    post_type: type, ...images.length > 0 && { image_urls: images.map(image => address(image, 'src')) },
    ...caption && { image_text: text(caption) }, ...videos.length > 0 && { videos: videos.map(video => address(video)) },
  }
}

/** A post's own page, with its comments, oldest first. */
export function postOf(page: Part): PostPage {
  const article = one(page, 'article.post')
  const { urn, link, author, content } = postOn(article)
  return {
    urn, url: address(link), content, author: { name: text(one(author, 'a.name')), url: address(one(author, 'a.name')) },
    likedBy: likesOf(page).filter(like => like.on).map(like => like.urn),
    comments: counted(one(page, 'ul.comments'), 'li.comment').map(li => ({
      urn: name(li, 'data-urn'), authorUrn: name(li, 'data-by'), text: text(one(li, '.text')),
    })),
  }
}

/** The forms to like a post: one for each actor, each with its own state. */
export function likesOf(page: Part): { urn: string; form: Part; on: boolean }[] {
  const { me, companies } = actorsOf(page)
  const article = one(page, 'article.post')
  exactly(article, 'form.like', 1 + companies.length)
  return [me, ...companies].map(({ urn }) => {
    const form = one(article, `form.like[data-actor="${CSS.escape(urn)}"]`)
    const on = flag(one(form, 'button'), 'aria-pressed')
    agree(on, word(form, 'data-write', ['like', 'unlike']) === 'unlike', 'the state of a like')
    return { urn, form, on }
  })
}
