// Package sim plays lives of a cluster from a seed. It has tests only.
package sim
