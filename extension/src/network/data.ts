// The machine-readable block that every page of the network carries.

import { Fault } from '../shared/fault'

const version = 1

export interface PageData {
  v: number
  kind: string
  viewer?: { urn: string; slug: string; name: string; companies: { urn: string; slug: string; name: string }[] }
  profile?: ProfileData
  limit?: { action: string; reason: string; resets_at?: string }
  reason?: string
}

export interface ProfileData {
  urn: string
  slug: string
  name: string
  headline: string
  location: string
  about: string
  connections: number
  followers: number
  positions: PositionData[] | null
  education: { school: string; degree: string; field: string; start_year: number; end_year: number }[] | null
  skills: string[] | null
  relation: string
}

export interface PositionData {
  title: string
  company_name: string
  company_slug: string
  location: string
  start_year: number
  start_month: number
  end_year?: number
  end_month?: number
  is_current: boolean
}

/** Reads the text of the block: Fault page_not_understood. */
export function dataIn(block: string | undefined | null): PageData {
  let data: PageData | undefined
  try {
    data = JSON.parse(block ?? '') as PageData
  } catch { /* told below */ }
  if (data?.v !== version || typeof data.kind !== 'string') throw new Fault('page_not_understood', 'the page has no data block of a known form')
  return data
}
