import type { Company, Education, Position, Profile } from './adapter'
import { absolute, address, agree, flag, maybe, name, one, period, text, word, type Part } from './markup'
import { counted, counter } from './marks'

/** The site's word for an end that has not come. */
const today = 'today'

/** A member's page. */
export function profileOf(page: Part): Profile {
  const main = one(page, 'section.profile')
  const slug = name(main, 'data-slug')
  const relation = word(main, 'data-relation', ['self', 'none', 'pending', 'connected'])
  agree(maybe(main, 'form.invite') !== undefined, relation === 'none', 'a form to invite')
  agree(maybe(main, 'form[data-write="withdrawal"]') !== undefined, relation === 'pending', 'a form to withdraw')
  return {
    urn: name(main, 'data-urn'), slug, url: absolute(`/in/${slug}`),
    name: text(one(main, '.name')), headline: text(one(main, '.headline')), location: text(one(main, '.location')), about: text(one(page, '.about')),
    connections: counter(main, 'data.connections'), followers: counter(main, 'data.followers'),
    positions: counted(one(page, 'ul.positions'), 'li.position', '').map(positionOf),
    education: counted(one(page, 'ul.education'), 'li.school-visit', '').map(educationOf),
    skills: counted(one(page, 'ul.skills'), 'li', '').map(skill => text(skill)), relation,
  }
}

function positionOf(li: Part): Position {
  const { from, to, open } = period(one(li, '.span'), today)
  agree(open, flag(li, 'data-current'), 'the end of a job')
  return {
    title: text(one(li, '.title')), company_name: text(one(li, '.company')), company_slug: name(one(li, '.company'), 'data-slug'),
    location: text(one(li, '.location')), is_current: open,
    start_year: from[0], start_month: from[1], end_year: to[0], end_month: to[1],
  }
}

function educationOf(li: Part): Education {
  const { from, to } = period(one(li, '.span'), today)
  return { school: text(one(li, '.school')), degree: text(one(li, '.degree')), field: text(one(li, '.field')), start_year: from[0], end_year: to[0] }
}

/** A company's page. */
export function companyOf(page: Part): Company {
  const main = one(page, 'section.company')
  return {
    urn: name(main, 'data-urn'), slug: name(main, 'data-slug'), name: text(one(main, '.name')), industry: text(one(main, '.industry')),
    description: text(one(page, '.about')), headquarters: text(one(main, '.headquarters')),
    employee_count: counter(main, 'data.employees'), followers: counter(main, 'data.followers'),
    website: name(one(main, 'a.website'), 'href'), logo_url: address(one(main, 'img.logo'), 'src'),
    specialties: counted(one(page, 'ul.specialties'), 'li', '').map(specialty => text(specialty)),
  }
}
