// Package insight answers what a team's stored posts and ended tasks tell together: its
// leads, whom it has contacted, and what its scans have seen. It reads snapshots of the store and needs no actor.
package insight
