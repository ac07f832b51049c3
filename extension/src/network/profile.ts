import type { Company, Education, Position, Profile } from './adapter'
import { absolute, address, all, attribute, count, counter, flag, name, text, the, word, yearAndMonth } from './markup'

/** A member's page. */
export function profileOf(page: ParentNode): Profile {
  const main = the(page, 'section.profile')
  const slug = name(main, 'data-slug')
  return {
    urn: name(main, 'data-urn'), slug, url: absolute(`/in/${slug}`),
    name: text(main, '.name'), headline: text(main, '.headline'), location: text(main, '.location'), about: text(page, '.about'),
    connections: counter(main, 'data.connections'), followers: counter(main, 'data.followers'),
    positions: all(page, 'ul.positions', 'li.position').map(positionOf),
    education: all(page, 'ul.education', 'li.school-visit').map(educationOf),
    skills: all(page, 'ul.skills', 'li').map(skill => skill.textContent ?? ''),
    relation: word(main, 'data-relation', ['self', 'none', 'pending', 'connected']),
  }
}

function positionOf(li: HTMLElement): Position {
  const [startYear, startMonth] = yearAndMonth(li, 'time.start')
  const [endYear, endMonth] = yearAndMonth(li, 'time.end')
  return {
    title: text(li, '.title'), company_name: text(li, '.company'), company_slug: attribute(the(li, '.company'), 'data-slug'),
    location: text(li, '.location'), is_current: flag(li, 'data-current'),
    start_year: startYear, start_month: startMonth, end_year: endYear, end_month: endMonth,
  }
}

function educationOf(li: HTMLElement): Education {
  return {
    school: text(li, '.school'), degree: text(li, '.degree'), field: text(li, '.field'),
    start_year: yearAndMonth(li, 'time.start')[0], end_year: yearAndMonth(li, 'time.end')[0],
  }
}

/** A company's page. */
export function companyOf(page: ParentNode): Company {
  const main = the(page, 'section.company')
  return {
    urn: name(main, 'data-urn'), slug: name(main, 'data-slug'), name: text(main, '.name'), industry: text(main, '.industry'),
    description: text(page, '.about'), headquarters: text(main, '.headquarters'),
    employee_count: count(the(main, 'data.employees'), 'value'), followers: counter(main, 'data.followers'),
    website: attribute(the(main, 'a.website'), 'href'), logo_url: address(the(main, 'img.logo'), 'src'),
    specialties: all(page, 'ul.specialties', 'li').map(specialty => specialty.textContent ?? ''),
  }
}
