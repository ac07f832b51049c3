// Package clients uses the service through API clients generated from the API
// document: one in TypeScript, one in Go; and its tools through the official client and
// inspector of the Model Context Protocol. Their scenarios are in testdata; the
// generated code is written to a temporary folder.
package clients
