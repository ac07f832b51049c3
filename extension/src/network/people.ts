import type { People, Person, Thread } from './adapter'
import { address, count, flag, maybe, moment, name, notUnderstood, one, text, word, type Part } from './markup'
import { counted } from './marks'

/** A list of members: search results or connections. */
export function peopleOf(page: Part): People {
  const list = one(page, '[data-list]')
  const connections = word(list, 'data-list', ['people', 'connections']) === 'connections'
  const people = counted(one(list, 'ul.people'), 'li.person')
  return { people: people.map(li => personOf(li, connections)), total: count(list, 'data-total') }
}

function personOf(li: Part, connection: boolean): Person {
  const person: Person = {
    name: text(one(li, '.name')), headline: text(one(li, '.headline')), location: text(one(li, '.location')),
    profile_slug: name(li, 'data-slug'), profile_urn: name(li, 'data-urn'), degree: count(li, 'data-degree'),
  }
  return connection ? { ...person, connected_at: moment(one(li, 'time.connected')) } : person
}

/** The messages with one member. */
export function threadOf(page: Part): Thread {
  const thread = one(page, 'section.thread')
  const person = one(thread, '.by a.name'), canMessage = flag(thread, 'data-can-message')
  if (canMessage !== Boolean(maybe(thread, 'form.message'))) throw notUnderstood('a thread whose form does not fit')
  return {
    person: { name: text(person), url: address(person) }, canMessage,
    messages: counted(one(thread, 'ul.messages'), 'li.message').map(li => ({
      urn: name(li, 'data-urn'), text: text(one(li, '.text')), mine: flag(li, 'data-mine'),
    })),
  }
}
