import type { ConnectionsInput, SearchInput } from '../shared/protocol'
import { fields } from './input'
import type { Read } from './task'

/** agent_profiles_search: members found by a search. */
export const searchProfiles: Read<SearchInput> = async (input, { pages }) => {
  const { people, total } = await pages.people(fields(input, {
    keywords: 'text', title: 'text', company: 'text', first_name: 'text', last_name: 'text', school: 'text', location: 'text',
    geo_urn: 'texts', current_company: 'texts', industry: 'texts', past_company: 'texts', profile_language: 'texts', count: 'number',
  }))
  return { profiles: people, total }
}

/** agent_connections_fetch: the member's connections. */
export const connections: Read<ConnectionsInput> = async (input, { pages }) => {
  const { people, total } = await pages.connections(fields(input, { keyword: 'text', sort_type: 'text', start: 'number', count: 'number' }))
  return { connections: people, total }
}
