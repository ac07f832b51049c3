import type { Position } from '../network/adapter'
import type { ProfileInput } from '../shared/protocol'
import { fields } from './input'
import type { Read } from './task'

/** agent_profile_fetch: the contents of a member's page. */
export const profile: Read<ProfileInput> = async (input, { pages }) => {
  const p = await pages.profile(fields(input, { profile_slug: 'text' }).profile_slug)
  return {
    name: p.name, headline: p.headline, location: p.location, profile_url: p.url,
    connections: p.connections, followers: p.followers, about: p.about,
    experience: p.positions.map(openEnded), education: p.education, skills: p.skills,
    profile_urn: p.urn, profile_slug: p.slug,
    profile: {
      profile_urn: p.urn, profile_slug: p.slug, full_name: p.name, headline: p.headline, location: p.location,
      positions: p.positions.map(({ company_slug: _, ...position }) => position),
    },
  }
}

/** A job without the end date that the page does not show. */
const openEnded = ({ end_year, end_month, ...position }: Position) =>
  ({ ...position, ...end_year && { end_year }, ...end_month && { end_month } })
