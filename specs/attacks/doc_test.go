// Package attacks repeats, over the wire and on this machine only, what strangers and
// hostile teams tried, and prints what it cost the service and the others. `make attacks`
// runs it; ATTACKS names more builds, for a comparison.
package attacks
