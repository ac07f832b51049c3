// Package specs is the executable specification. Its scripts, in the folder
// scripts, state what the built binary does, as api.md and protocol.md promise it.
// Every script has its own processes, ports, data folder and teams, and controls
// time.
//
// README.md explains how to read and write one. The tests of this package run
// them, and check that they cover every operation of the API.
package specs
