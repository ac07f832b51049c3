package actorstest

import "watchpost/persistence/faultstore"

// The faults of a World's store, and its reads.
const (
	None     = faultstore.None
	Before   = faultstore.Before
	After    = faultstore.After
	Conflict = faultstore.Conflict
)

// Fault says what becomes of a commit.
type Fault = faultstore.Fault

// Read is one read of the store.
type Read = faultstore.Read
