import type { Post } from '../shared/protocol'
import type { PostPage, PostsPage } from './adapter'
import { address, all, attribute, counter, flag, moment, name, notUnderstood, text, the } from './markup'

/** One page of a list of posts. */
export function postsOf(page: ParentNode): PostsPage {
  const list = the(page, '[data-list]')
  const posts = [...list.querySelectorAll<HTMLElement>('article.post')].map(inList)
  const more = flag(list, 'data-more')
  // An empty list must have the marker of an empty list.
  if (posts.length === 0 && (more || !list.querySelector('.empty'))) throw notUnderstood('a list of posts without posts')
  return { posts, more }
}

/** A post in a list; missing fields are left out. */
function inList(article: HTMLElement): Post {
  const author = the(article, '.by')
  const link = the(article, 'a.permalink')
  const post: Post = {
    urn: name(article, 'data-urn'), url: address(link), content: text(article, '.content'), posted_at: moment(link, 'time'),
    author_name: text(author, '.name'), author_url: address(the(author, 'a.name')), author_urn: name(author, 'data-author'),
    author_headline: text(author, '.headline'), author_image_url: address(the(author, 'img'), 'src'),
    likes_count: counter(article, 'data.likes'), comments_count: counter(article, 'data.comments'), shares_count: counter(article, 'data.shares'),
    post_type: name(article, 'data-type'),
  }
  const images = [...article.querySelectorAll('img.picture')].map(image => address(image, 'src'))
  if (images.length > 0) post.image_urls = images
  const imageText = article.querySelector('.image-text')?.textContent
  if (imageText) post.image_text = imageText
  const videos = [...article.querySelectorAll('a.video')].map(video => address(video))
  if (videos.length > 0) post.videos = videos
  return post
}

/** A post's own page, with its comments, oldest first. */
export function postOf(page: ParentNode): PostPage {
  const article = the(page, 'article.post')
  const likes = [...article.querySelectorAll('form.like')]
  return {
    urn: name(article, 'data-urn'), url: address(the(article, 'a.permalink')), content: text(article, '.content'),
    author: { name: text(article, '.by .name'), url: address(the(article, '.by a.name')) },
    likedBy: likes.filter(form => flag(the(form, 'button'), 'aria-pressed')).map(form => name(form, 'data-actor')),
    comments: all(page, 'ul.comments', 'li.comment').map(li => ({
      urn: name(li, 'data-urn'), authorUrn: attribute(li, 'data-by'), text: text(li, '.text'),
    })),
  }
}
