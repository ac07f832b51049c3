// The pages of one adapter: build.mjs makes a page script for each of a build.

import { openPages as server } from '../network/pages'
import { openPages as singlePage } from '../single_page/pages'

export const openPages = ADAPTER === 'single_page' ? singlePage : server
