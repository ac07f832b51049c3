// The marks of the site that sends complete pages: classes and data-
// attributes.

import { attribute, count, entries, name, one, text, type Part } from './markup'

/**
 * The entries of a list, by the number that it states. One that states none has
 * the site's own mark for an empty list, if it needs one.
 */
export function counted(list: Part, mark: string, empty = '.empty'): Part[] {
  const stated = count(list, 'data-count')
  if (stated > 0 || empty === '') return entries(list, mark, stated, '[data-promoted]')
  entries(list, empty, 1)
  return []
}

/** The number of a data element. */
export const counter = (within: Part, mark: string): number => count(one(within, mark), 'value')

export interface Actors {
  me: { urn: string; slug: string; name: string }
  /** The company pages that the member manages. */
  companies: { urn: string; slug: string; name: string }[]
}

/** The actors of a page. */
export function actorsOf(page: Part): Actors {
  const account = one(page, '.account')
  return {
    me: { urn: name(account, 'data-viewer'), slug: name(account, 'data-slug'), name: attribute(account, 'data-name') },
    companies: counted(one(account, 'ul.managed'), 'li', '').map(li => ({ urn: name(li, 'data-company'), slug: name(li, 'data-slug'), name: text(one(li, '.name')) })),
  }
}
