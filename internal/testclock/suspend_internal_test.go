package testclock

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// host simulates a suspended machine: its timers stop, its wall clock goes on.
type host struct{ slept atomic.Int64 }

func (h *host) wall() time.Time         { return time.Now().Add(time.Duration(h.slept.Load())) }
func (h *host) suspend(d time.Duration) { h.slept.Add(int64(d)) }
func (h *host) system() watchpost.Clock { return watchpost.SystemClockOf(h.wall) }
func (h *host) settable(t *testing.T) watchpost.Clock {
	c := New(0, nil, nil)
	c.wall = h.wall
	t.Cleanup(c.Close)
	return c
}

// TestClocksNoticeASuspendedHost: functions that became due while the host was
// suspended are called within watchpost.WallCheck of its resume, with the clock past
// their time. No function is called before its time.
func TestClocksNoticeASuspendedHost(t *testing.T) {
	for name, open := range map[string]func(*host, *testing.T) watchpost.Clock{
		"system": func(h *host, _ *testing.T) watchpost.Clock { return h.system() }, "settable": (*host).settable,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{}
				c := open(h, t)
				began := c.Now()
				fired := make(chan time.Duration, 4)
				for _, d := range []time.Duration{5 * time.Minute, 48 * time.Hour, 7 * 24 * time.Hour} {
					c.At(began.Add(d), func() {
						require.False(t, c.Now().Before(began.Add(d)), "before its time")
						fired <- d
					})
				}
				stopped := c.At(began.Add(time.Hour), func() { fired <- time.Hour })
				pass := func(d time.Duration) {
					<-time.After(d)
					synctest.Wait()
				}
				pass(watchpost.WallCheck)
				require.Empty(t, fired, "nothing is due")
				require.True(t, stopped.Stop())
				require.False(t, stopped.Stop(), "stopped already")

				h.suspend(48 * time.Hour)
				pass(watchpost.WallCheck)
				require.Len(t, fired, 2)
				require.ElementsMatch(t, []time.Duration{5 * time.Minute, 48 * time.Hour}, []time.Duration{<-fired, <-fired})
				require.Equal(t, 48*time.Hour+2*watchpost.WallCheck, c.Now().Sub(began))

				h.suspend(5 * 24 * time.Hour)
				pass(watchpost.WallCheck)
				require.Len(t, fired, 1)
				require.Equal(t, 7*24*time.Hour, <-fired)
			})
		})
	}
}

// TestClocksStripTheMonotonicReading: the difference of two moments includes
// the time that the host was suspended.
func TestClocksStripTheMonotonicReading(t *testing.T) {
	t.Parallel()
	h := &host{}
	for _, c := range []watchpost.Clock{h.system(), h.settable(t), watchpost.SystemClock{}} {
		now := c.Now()
		require.Equal(t, now.Round(0), now)
		require.NotContains(t, now.String(), "m=")
	}
}
