// Package clients lets clients that others' generators make of the API document
// use the service: one in TypeScript, one in Go. Their scenarios are in
// testdata; the generated code is made in a temporary folder and not kept.
package clients
