import type { Browser } from './protocol'

interface Brands { brands?: { brand: string; version: string }[]; platform?: string }

/** This browser, unless its member withholds that: Firefox asks them about technical data. */
export async function tellableBrowser(): Promise<Browser | undefined> {
  const { data_collection: agreed } = await chrome.permissions.getAll() as { data_collection?: string[] }
  return !agreed || agreed.includes('technicalAndInteraction') ? thisBrowser() : undefined
}

/** Describes this browser for the list of sessions. */
export function thisBrowser({ userAgentData: data, userAgent }: { userAgentData?: Brands; userAgent: string } = navigator as never): Browser {
  // The list also has an invented brand, which changes from version to version.
  const brand = data?.brands?.filter(one => !/not.?a.?brand/i.test(one.brand)).sort((a, b) => Number(a.brand === 'Chromium') - Number(b.brand === 'Chromium'))[0]
  const firefox = /Firefox\/([\d.]+)/.exec(userAgent)
  const name = brand?.brand ?? (firefox ? 'Firefox' : 'Browser'), version = brand?.version ?? firefox?.[1] ?? ''
  const os = data?.platform ?? /\((?:Windows|Macintosh|X11; Linux|X11)/.exec(userAgent)?.[0].slice(1) ?? ''
  return { name, version, os, label: os ? `${name} (${os})` : name }
}
