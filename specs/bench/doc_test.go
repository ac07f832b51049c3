// Package bench measures the service's guarantees. Each figure stands next to a
// physical limit or a bare peer in the same run, as a ratio. `make bench` runs
// it. Alternating rounds and medians reduce the machine's noise.
package bench
