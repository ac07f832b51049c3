package teamspace

import (
	"time"

	"watchpost/watchpost"
)

// ScanDay counts the scans of a watchlist or list that ended in a day. A scan for several of
// its entries counts once.
type ScanDay struct {
	Planned int `json:"planned"` // in a whole day, as asked for when the last of them ended
	Done    int `json:"done"`
	Shared  int `json:"shared,omitempty"` // of Done, those that others had too
	Failed  int `json:"failed,omitempty"`
}

// PostDay counts the posts that scans of a day have brought to a watchlist. Posts that its
// words do not match are in Found only.
type PostDay struct {
	Found   int `json:"found"`             // that the network showed
	Kept    int `json:"kept,omitempty"`    // that the watchlist got
	Known   int `json:"known,omitempty"`   // that it had, or had dropped, before
	Dropped int `json:"dropped,omitempty"` // because of the limit of the week
}

// CoveredRecord is the period from which scans of an entry have brought all posts to a
// watchlist.
type CoveredRecord struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// Extend adds the period of another scan. After a gap the period begins again.
func (r CoveredRecord) Extend(by CoveredRecord) CoveredRecord {
	switch {
	case by.Since.After(r.Until):
		return by
	case by.Until.Before(r.Since):
		return r
	}
	if r.Until.After(by.Until) {
		by.Until = r.Until
	}
	by.Since = watchpost.Earlier(r.Since, by.Since)
	return by
}
