import { addresses } from '../adapters/addresses'

/** The permissions that the pages of a network need. */
export const accessTo = (network: string): string[] => addresses.originsOf(network).map(origin => `${origin}/*`)
