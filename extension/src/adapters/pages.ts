// The pages of the adapter that build.mjs chose with --adapter.

import { openPages as server } from '../network/pages'
import { openPages as singlePage } from '../single_page/pages'

export const openPages = ADAPTER === 'single_page' ? singlePage : server
