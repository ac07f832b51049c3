package model

import "testing"

// TestFollower: a follower goes along with what the protocol does, and not with anything else.
func TestFollower(t *testing.T) {
	up := func(i int) func(*Seen) {
		return func(s *Seen) { s.Node[i].Up, s.Node[i].Lock = true, true }
	}
	view := func(version uint8, members ...int) func(*Seen) {
		return func(s *Seen) {
			s.View = View{Version: version}
			for _, i := range members {
				s.View = s.View.With(i, false, false)
			}
		}
	}
	confirms := func(i int) func(*Seen) { return func(s *Seen) { s.View = s.View.With(i, false, true) } }
	here := func(i int, is bool) func(*Seen) { return func(s *Seen) { s.Node[i].Here = is } }
	knows := func(i int, version uint8, is bool) func(*Seen) {
		return func(s *Seen) { s.Node[i].View, s.Node[i].Here = version, is }
	}
	unlocked := func(i int) func(*Seen) { return func(s *Seen) { s.Node[i].Lock = false } }
	down := func(i int) func(*Seen) {
		return func(s *Seen) { s.Node[i].Up, s.Node[i].Here, s.Node[i].View = false, false, 0 }
	}

	f := NewFollower()
	for at, step := range []struct {
		does func(*Seen)
		not  []func(*Seen) // what cannot be seen in its place
	}{
		{up(0), []func(*Seen){here(0, true), view(1, 0)}},
		{view(1, 0), []func(*Seen){here(0, true), view(1, 1), view(2, 0)}},
		{knows(0, 1, false), []func(*Seen){confirms(0), knows(0, 1, true), knows(1, 1, false)}},
		{confirms(0), []func(*Seen){here(0, true), confirms(1)}},
		{here(0, true), []func(*Seen){here(1, true), view(2)}},
		{up(1), []func(*Seen){view(2, 0, 1), here(1, true)}},
		{knows(1, 1, false), []func(*Seen){knows(1, 2, false), knows(1, 1, true)}},
		{view(2, 0, 1), []func(*Seen){here(1, true), view(2, 1)}},
		{knows(1, 2, false), []func(*Seen){confirms(1), knows(0, 2, true)}},
		{confirms(1), []func(*Seen){here(1, true), view(3)}},
		{knows(0, 2, false), []func(*Seen){confirms(0), here(1, true)}},
		{confirms(0), []func(*Seen){here(0, true), here(1, true)}},
		{here(1, true), []func(*Seen){here(0, true), view(4, 0)}},
		{down(1), []func(*Seen){view(3, 0)}},
		{unlocked(1), []func(*Seen){here(0, true)}},
		{view(3, 0), []func(*Seen){here(0, true), here(1, true), view(4)}},
	} {
		for k, not := range step.not {
			other, seen := *f, f.seen
			if not(&seen); other.See(seen) {
				t.Errorf("before step %d: the follower goes along with %d: %+v", at, k, seen)
			}
		}
		seen := f.seen
		if step.does(&seen); !f.See(seen) || f.Lost {
			t.Fatalf("step %d: the follower has no way to %+v", at, seen)
		}
	}
}
