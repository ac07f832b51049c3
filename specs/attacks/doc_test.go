// Package attacks repeats, over the wire and on this machine only, what strangers and
// hostile teams tried, and prints the cost to the service and to other teams. `make
// attacks` runs it; ATTACKS names more builds, for a comparison.
package attacks
