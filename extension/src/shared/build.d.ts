// What build.mjs puts into the code.

/** Origin of the one network that this build works, as https://network.example. */
declare const NETWORK_ORIGIN: string
/** Origin that the options page offers for the service. */
declare const SERVICE_ORIGIN: string
/** Period of the alarm that wakes a stopped worker, in seconds. */
declare const WAKE_SECONDS: number
