// The addresses of the adapter that build.mjs chose with --adapter; the other
// one is left out of the bundle.

import type { Addresses } from '../network/adapter'
import * as account from '../network/account'
import * as paths from '../network/paths'
import * as singlePage from '../single_page/addresses'

const server: Addresses = { accountPath: paths.accountPath, startOf: paths.startOf, originsOf: network => [network], accountIn: account.accountIn }
const browser: Addresses = { accountPath: singlePage.accountPath, startOf: singlePage.startOf, originsOf: singlePage.originsOf, accountIn: singlePage.accountIn }

export const addresses = ADAPTER === 'single_page' ? browser : server
