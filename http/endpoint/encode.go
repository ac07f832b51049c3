package endpoint

import (
	"cmp"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// encode writes a reply as JSON, whatever Accept says, in one piece, with warnings.
func encode(r *http.Request, reply any, warnings []string) error {
	x := StateOf(r.Context())
	if own, ok := reply.(AppendedReply); ok {
		body := replies.Get().(*[]byte)
		*body = withWarnings(own.AppendTo((*body)[:0]), warnings)
		if _, tagged := reply.(TaggedReply); !tagged || !asksForTag(r) || !x.Unchanged(r, EtagOf(*body)) {
			x.WriteJSON(http.StatusOK, *body)
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
	x.WriteJSON(cmp.Or(x.success, http.StatusOK), withWarnings(body, warnings))
	return nil
}

// withWarnings adds warnings to a reply, which is an object.
func withWarnings(body []byte, warnings []string) []byte {
	if len(warnings) == 0 {
		return body
	}
	list, err := json.Marshal(warnings)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	body = body[:len(body)-1]
	if len(body) > 1 {
		body = append(body, ',')
	}
	return append(append(append(body, `"`+warningsField+`":`...), list...), '}')
}

// AppendedReply is a reply that writes its JSON itself.
type AppendedReply interface{ AppendTo(b []byte) []byte }

// TaggedReply is one that clients ask for again to see whether it has changed.
type TaggedReply interface{ Tagged() }

// replies holds buffers of replies that were sent.
var replies = sync.Pool{New: func() any { return new([]byte) }}

// maxKeptReply bounds the buffers that are kept.
const maxKeptReply = 256 << 10

// AppendJSON appends JSON of a caller or session as package json would write it.
func AppendJSON(dst []byte, raw json.RawMessage) []byte {
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

// Timestamp is a moment as the API writes it: RFC 3339, UTC, milliseconds.
type Timestamp string

// TimestampOf writes a moment.
func TimestampOf(t time.Time) Timestamp { return Timestamp(t.UTC().Format("2006-01-02T15:04:05.000Z")) }

// TimestampOrNil returns nil for the zero moment.
func TimestampOrNil(t time.Time) *Timestamp {
	if t.IsZero() {
		return nil
	}
	s := TimestampOf(t)
	return &s
}

// Whole returns a slice that is written as [] rather than null.
func Whole[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
