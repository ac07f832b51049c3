// Package insight answers what a team's stored posts and ended tasks tell together: its
// leads, whom it has contacted, and the coverage of its watchlists. It reads snapshots of the
// store and needs no actor.
package insight
