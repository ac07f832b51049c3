// Package bench measures what the service promises, each figure beside the
// physical limit or a bare peer in the same run, as a ratio. `make bench` runs
// it; the machine's noise is met by interleaving rounds and quoting medians.
package bench
