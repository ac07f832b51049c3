// Package insight answers what a team's stored posts and ended tasks tell together: its
// leads and whom it has contacted. It reads snapshots of the store and needs no actor.
package insight
