// The addresses of the adapters that build.mjs put into this build with --adapter.

import type { Addresses } from '../network/adapter'
import * as account from '../network/account'
import * as paths from '../network/paths'
import { isWrite } from '../shared/protocol'
import * as singlePage from '../single_page/addresses'

// Reads fetch pages. All begin on one light page, so that the browser's history
// gets no entry for each profile or post.
const server: Addresses = {
  accountPath: paths.accountPath, startOf: (type, input) => isWrite(type) ? paths.startOf(type, input) : paths.accountPath, originsOf: network => [network], accountIn: account.accountIn,
}
const browser: Addresses = { accountPath: singlePage.accountPath, startOf: singlePage.startOf, originsOf: singlePage.originsOf, accountIn: singlePage.accountIn }

const all = { server, single_page: browser }
export type AdapterName = keyof typeof all

/** The adapters of this build: one, or several, and the network's answer decides between them. */
export const adapterNames: AdapterName[] = ADAPTER === 'auto' ? ['server', 'single_page'] : [ADAPTER]

export const addressesOf = (name: AdapterName): Addresses => all[name]

/** The origins that the adapters of this build need for a network. */
export const originsOf = (network: string): string[] => [...new Set(adapterNames.flatMap(name => all[name].originsOf(network)))]
