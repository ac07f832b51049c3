package httpapi

import (
	"encoding/json"
	"net/http"
	"time"
)

// encode is the framework's serialiser: JSON whatever Accept says, in one
// piece.
func encode(w http.ResponseWriter, r *http.Request, reply any) error {
	if ready, ok := reply.(encodedReply); ok {
		ready.writeTo(exchangeOf(r.Context()))
		return nil
	}
	body, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	exchangeOf(r.Context()).writeJSON(http.StatusOK, body)
	return nil
}

// encodedReply is a reply that is JSON already.
type encodedReply interface{ writeTo(x *exchange) }

// stamp is a moment as the API writes it: RFC 3339, UTC, milliseconds.
type stamp string

func stampOf(t time.Time) stamp { return stamp(t.UTC().Format("2006-01-02T15:04:05.000Z")) }

// stampOrNil returns nil for the zero moment.
func stampOrNil(t time.Time) *stamp {
	if t.IsZero() {
		return nil
	}
	s := stampOf(t)
	return &s
}

// whole returns a slice that is written as [] rather than null.
func whole[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
