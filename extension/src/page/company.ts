import type { CompanyInput } from '../shared/protocol'
import { fields } from './input'
import type { Read } from './task'

/** agent_company_fetch: the contents of a company's page. */
export const company: Read<CompanyInput> = async (input, { pages }) => {
  const { urn, ...shown } = await pages.company(fields(input, { company_slug: 'text' }).company_slug)
  return { ...shown, company_urn: urn }
}
