package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// encode writes a reply as JSON, whatever Accept says, in one piece.
func encode(r *http.Request, reply any) error {
	x := stateOf(r.Context())
	if own, ok := reply.(appendedReply); ok {
		body := replies.Get().(*[]byte)
		*body = own.AppendTo((*body)[:0])
		if _, tagged := reply.(taggedReply); !tagged || !asksForTag(r) || !x.unchanged(r, etagOf(*body)) {
			x.writeJSON(http.StatusOK, *body)
		}
		if cap(*body) <= maxKeptReply {
			replies.Put(body)
		}
		return nil
	}
	body, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	x.writeJSON(cmp.Or(x.success, http.StatusOK), body)
	return nil
}

// appendedReply is a reply that writes its JSON itself.
type appendedReply interface{ AppendTo(b []byte) []byte }

// taggedReply is one that clients ask for again to see whether it has changed.
type taggedReply interface{ Tagged() }

// replies holds buffers of replies that were sent.
var replies = sync.Pool{New: func() any { return new([]byte) }}

// maxKeptReply bounds the buffers that are kept.
const maxKeptReply = 256 << 10

// appendJSON appends JSON of a caller or session as package json would write it.
func appendJSON(dst []byte, raw json.RawMessage) []byte {
	if plainJSON(raw) {
		return append(dst, raw...)
	}
	b, err := json.Marshal(raw)
	if err != nil {
		panic(err) // it was read as JSON before
	}
	return append(dst, b...)
}

// plainJSON reports whether package json would write the JSON byte for byte as
// it is: without white space, and without the characters that it escapes for HTML
// and JavaScript.
func plainJSON(raw json.RawMessage) bool {
	const lineSeparators = 0xe2 // U+2028 and U+2029 begin with it
	text := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			text = !text
		case c == '\\':
			i++
		case c == '<', c == '>', c == '&', c == lineSeparators, c <= ' ' && !text:
			return false
		}
	}
	return len(raw) > 0
}

// timestamp is a moment as the API writes it: RFC 3339, UTC, milliseconds.
type timestamp string

func timestampOf(t time.Time) timestamp { return timestamp(t.UTC().Format("2006-01-02T15:04:05.000Z")) }

// timestampOrNil returns nil for the zero moment.
func timestampOrNil(t time.Time) *timestamp {
	if t.IsZero() {
		return nil
	}
	s := timestampOf(t)
	return &s
}

// whole returns a slice that is written as [] rather than null.
func whole[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
