// Package teamspace is the layout of stored data: it names every key, the
// records and their encoding. Stored names never change; old records stay
// readable.
package teamspace
