package ordered

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// ByKey yields the entries of a map by their keys. A loop that sends, spawns or writes
// uses it: Go gives a map another order each time, and what happens must follow from what
// happened before alone, so that a failure can be played again (package sim).
func ByKey[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if v, there := m[k]; there && !yield(k, v) {
				return
			}
		}
	}
}
