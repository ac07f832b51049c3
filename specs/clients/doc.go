// Package clients uses the service through API clients generated from the API
// document: one in TypeScript, one in Go. Their scenarios are in testdata; the
// generated code is written to a temporary folder.
package clients
