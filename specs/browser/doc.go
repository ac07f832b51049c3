// Package browser tests the browser extension end to end: a real Chromium with
// the built extension, the service, and the stand-in network. It needs Node.js
// to build the extension, Chromium, Xvfb and openbox; extension/tools installs them
// where possible. With WATCHPOST_LONG some tests run in Firefox (firefox-esr).
package browser
