// The addresses of the adapter that build.mjs chose with --adapter; the other
// one is left out of the bundle.

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

export const addresses = ADAPTER === 'single_page' ? browser : server
