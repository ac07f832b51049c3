// Package browser tests the browser extension as a member has it: a real
// Chromium with the built extension, the service, and the stand-in network. It
// needs node to build the extension, and Chromium; extension/tools installs
// both where it can.
package browser
