// Package specs is the executable specification: scripts that say, in the words
// of the service's documents, what the built binary does. Every script has its
// own processes, ports, data folder and teams, and moves time itself.
//
// README.md explains how to read and write one. The tests of this package run
// them, and see to it that no operation of the API is left out.
package specs
