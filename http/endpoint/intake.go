package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"watchpost/watchpost"
)

// Bounds of a request body in bytes.
const (
	MaxBody = 1 << 20
	// maxStrangerBody is enough for a sign-in.
	maxStrangerBody = 16 << 10
	// firstRead is what a body of unknown length gets at first.
	firstRead = 512
)

// intake is the body of a request, and on whose account it takes memory.
type intake struct {
	share *shares // nil: no one has said who it is; the client counts
	user  string
	most  int

	done bool // it has been read
	raw  []byte
	err  error
	held int // bytes taken from share
}

// KnownAs notes that a request is a team's, or the operator's: it may send a whole body.
func (x *RequestState) KnownAs(s *Server, team watchpost.TeamID) {
	x.Team = team
	x.body.share, x.body.user, x.body.most = s.room.bodies, string(team), MaxBody
}

// readingFirst reads the body before the request goes on, so that one which is slow to
// arrive takes no place. It comes after the layer that knows whose the request is. What
// is wrong with the body is said by the handler, after its other checks.
func (s *Server) readingFirst(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			if _, err := s.ReadAll(r); watchpost.KindOf(err) == watchpost.Unavailable {
				s.WriteError(r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// ReadAll returns the body of a request (TooLarge, Invalid when it does not arrive whole
// in time, Unavailable when there is no room for it). It is read once.
func (s *Server) ReadAll(r *http.Request) ([]byte, error) {
	x := StateOf(r.Context())
	b := &x.body
	if b.done {
		return b.raw, b.err
	}
	if b.share == nil {
		b.share, b.user, b.most = s.room.strangers, s.ClientOf(r).Key(), maxStrangerBody
	}
	b.done = true
	if r.ContentLength == 0 {
		return nil, nil
	}
	if r.ContentLength > int64(b.most) { // nothing is read of it
		b.err = watchpost.Errorf(watchpost.TooLarge, TextTooLarge)
	} else {
		b.raw, b.err = b.read(r, s.room)
	}
	if b.err != nil { // the rest is not waited for
		x.Header().Set("Connection", "close")
		return nil, b.err
	}
	_ = http.NewResponseController(x.ResponseWriter).SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(b.raw)) // for readers of forms
	return b.raw, nil
}

// boundBody bounds how long the body of a request may take to arrive, also when nothing
// reads it: the server waits for its end before the next request.
func (x *RequestState) boundBody(r *http.Request, most time.Duration) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(x.ResponseWriter).SetReadDeadline(RealNow().Add(most))
	}
}

// read reads a body into memory that grows with what arrives.
func (b *intake) read(r *http.Request, m *room) ([]byte, error) {
	size := firstRead
	if 0 < r.ContentLength && r.ContentLength < firstRead {
		size = int(r.ContentLength) + 1 // one read meets the end, too
	}
	var raw []byte
	for {
		if len(raw) == cap(raw) {
			if len(raw) > b.most {
				return nil, watchpost.Errorf(watchpost.TooLarge, TextTooLarge)
			}
			size = min(max(size, 2*len(raw)), b.most+1)
			if !b.share.take(b.user, size-b.held) {
				return nil, m.overload(b.user)
			}
			b.held = size
			raw = append(make([]byte, 0, size), raw...)
		}
		n, err := r.Body.Read(raw[len(raw):cap(raw)])
		raw = raw[:len(raw)+n]
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF): // too slow, or the client disconnected: it is incomplete
			return nil, watchpost.WrapError(watchpost.Invalid, textInvalidJSON, fmt.Errorf("read body: %w", err))
		case len(raw) > b.most:
			return nil, watchpost.Errorf(watchpost.TooLarge, TextTooLarge)
		default:
			return raw, nil
		}
	}
}

// ForgetBody frees what the body holds, once it is decoded: for requests that are held
// open.
func (x *RequestState) ForgetBody() {
	if b := &x.body; b.held > 0 {
		b.share.giveBack(b.user, b.held)
		b.held, b.raw = 0, nil
	}
}
