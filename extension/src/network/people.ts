import type { People, Person, Thread } from './adapter'
import { address, all, count, flag, moment, name, notUnderstood, text, the } from './markup'

/** A list of members: search results or connections. */
export function peopleOf(page: ParentNode): People {
  const list = the(page, '[data-list]')
  const total = count(list, 'data-total')
  const people = all(list, 'ul.people', 'li.person').map(personOf)
  if (people.length === 0 && !list.querySelector('.empty')) throw notUnderstood('a list of people without people')
  return { people, total }
}

function personOf(li: HTMLElement): Person {
  const person: Person = {
    name: text(li, '.name'), headline: text(li, '.headline'), location: text(li, '.location'),
    profile_slug: name(li, 'data-slug'), profile_urn: name(li, 'data-urn'), degree: count(li, 'data-degree'),
  }
  if (li.querySelector('time.connected')) person.connected_at = moment(li, 'time.connected')
  return person
}

/** The messages with one member. */
export function threadOf(page: ParentNode): Thread {
  const thread = the(page, 'section.thread')
  return {
    person: { name: text(thread, '.by .name'), url: address(the(thread, '.by a.name')) },
    canMessage: flag(thread, 'data-can-message'),
    messages: all(thread, 'ul.messages', 'li.message').map(li => ({
      urn: name(li, 'data-urn'), text: text(li, '.text'), mine: flag(li, 'data-mine'),
    })),
  }
}
