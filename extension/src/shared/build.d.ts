// Constants from build.mjs.

/** Origin of the one network of this build, as https://network.example; "" in a build for several. */
declare const NETWORK_ORIGIN: string
/** The adapter of this build, or of a page script; "auto": all, and the network's answer decides. */
declare const ADAPTER: 'auto' | 'server' | 'single_page'
/** Default origin of the service on the options page. */
declare const SERVICE_ORIGIN: string
/** Period of the alarm that starts a stopped worker, in seconds. */
declare const WAKE_SECONDS: number
