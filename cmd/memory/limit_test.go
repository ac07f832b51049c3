package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func limit() int64 { return debug.SetMemoryLimit(-1) }

// TestLimitFollowsWhatIsInUse: up when more than the base is in use, and down
// to the base again.
func TestLimitFollowsWhatIsInUse(t *testing.T) {
	const base = 32 << 20
	before := limit()
	stop := keep(base)
	require.EqualValues(t, base, limit())
	eventually := func(holds func() bool) {
		require.Eventually(t, func() bool { runtime.GC(); return holds() }, time.Minute, time.Millisecond)
	}
	held := make([]byte, base)
	eventually(func() bool { return limit() >= base/2*3 })
	runtime.KeepAlive(held)
	eventually(func() bool { return limit() == base })
	stop()
	require.Equal(t, before, limit())
	runtime.GC()
	runtime.GC()
	require.Equal(t, before, limit())
}

func TestCachesCount(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	before := limit()
	stop := Limit(64 << 20)
	require.EqualValues(t, 576<<20, limit())
	stop()
	require.Equal(t, before, limit())
}

func TestVariableComesFirst(t *testing.T) {
	before := limit()
	t.Setenv("GOMEMLIMIT", "off")
	Limit(1 << 20)()
	defer Limit(1 << 20)()
	require.Equal(t, before, limit())
}

func TestLimit(t *testing.T) {
	k := &keeper{base: 640}
	for used, want := range map[int64]int64{0: 640, 426: 640, 428: 642, 1000: 1500, 1 << 40: 3 << 39} {
		require.Equal(t, want, k.limit(used))
	}
	require.Positive(t, k.limit(math.MaxInt64/2))
}
