package endpoint

import (
	"context"
	"errors"
	"net/http"
	"time"

	"watchpost/watchpost"
)

// Causes of the end of what Held returns.
var (
	errKeysChanged = errors.New("a key of the team was changed, or that of the request has expired")
	errClosing     = errors.New("the service closes")
)

// Held returns a context for a request that waits for something to happen, for most in real
// time. It ends earlier with the request, with the service (Closes), and when
// the key of the request may have lost its right to wait (KeysChanged): another request has
// changed or deleted a key of the team, or the key has expired. All of that happens at the
// node that serves the team, which holds the request. The caller calls done after its wait. The
// error is that of a key which has lost its right before.
func Held(s *Server, r *http.Request, scope watchpost.Scope, most time.Duration) (held context.Context, done context.CancelFunc, err error) {
	held, _, done, err = hold(s, r, scope, most)
	return held, done, err
}

// hold is Held. changed is closed before the request that changes a key is answered; held
// ends a moment later.
func hold(s *Server, r *http.Request, scope watchpost.Scope, most time.Duration) (held context.Context, changed <-chan struct{}, done context.CancelFunc, err error) {
	ctx, end := context.WithCancelCause(r.Context())
	held, stop := context.WithTimeout(ctx, most)
	if most <= 0 {
		return held, nil, func() { stop(); end(nil) }, nil
	}
	x := StateOf(r.Context())
	changed, forget := s.Registry.AwaitKeyChange(x.Team)
	done = func() { stop(); end(nil); forget() }
	// It tells of later changes. Another node may have made an earlier one.
	of, err := holderBy(held, s, s.Registry.HolderNow, r, []watchpost.Scope{scope})
	if err != nil {
		done()
		return nil, nil, nil, err
	}
	if x.Key = of.Key; x.Key != nil && !x.Key.ExpiresAt.IsZero() {
		expiry := s.Clock.At(x.Key.ExpiresAt, func() { end(errKeysChanged) })
		without := done
		done = func() { without(); expiry.Stop() }
	}
	go func() {
		select {
		case <-changed:
			end(errKeysChanged)
		case <-s.Closing:
			end(errClosing)
		case <-held.Done():
		}
	}()
	return held, changed, done, nil
}

// stillMay returns a function that a long request calls before each part of its reply: the
// error is that of a key which has lost its right. It looks at the key only after a change, for
// most at the longest. The caller calls done at the end.
func stillMay(s *Server, r *http.Request, scope watchpost.Scope, most time.Duration) (may func() error, done func(), err error) {
	held, changed, stop, err := hold(s, r, scope, most)
	if err != nil {
		return nil, nil, err
	}
	may = func() error {
		select {
		case <-changed:
		default:
			if !KeysChanged(held) { // nor has it expired
				return nil
			}
		}
		next, changedNext, stopNext, err := hold(s, r, scope, most)
		if err != nil {
			return err // done calls stop
		}
		stop()
		held, changed, stop = next, changedNext, stopNext
		return nil
	}
	return may, func() { stop() }, nil
}

// KeysChanged reports whether a context of Held has ended for the sake of the key.
// StillHeld says whether the request may go on.
func KeysChanged(held context.Context) bool { return errors.Is(context.Cause(held), errKeysChanged) }

// Closes reports whether a context of Held has ended because the service closes.
func Closes(held context.Context) bool { return errors.Is(context.Cause(held), errClosing) }

// StillHeld checks the key of a request again: it may have been changed or deleted since.
func StillHeld(s *Server, r *http.Request, scope watchpost.Scope) error {
	of, err := s.holderOf(r.Context(), r, scope)
	if err == nil {
		StateOf(r.Context()).Key = of.Key
	}
	return err
}

// Await lets a request wait until something has happened, for most at the longest. It ends when
// the request or the service ends, too. The error is that of a key which has lost its right
// to wait.
func Await(s *Server, r *http.Request, scope watchpost.Scope, happened <-chan struct{}, most time.Duration) error {
	if !Wait(s, StateOf(r.Context())) {
		return nil
	}
	until := RealNow().Add(most)
	for {
		held, done, err := Held(s, r, scope, until.Sub(RealNow()))
		if err != nil {
			return err
		}
		select {
		case <-happened:
		case <-held.Done():
		}
		again := KeysChanged(held)
		done()
		if !again {
			return StillHeld(s, r, scope)
		}
	}
}
