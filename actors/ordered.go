package actors

import "container/heap"

// ordered is a heap whose elements know their place in it, so that any of them can
// be removed. Use its lower-case methods; the others implement heap.Interface.
type ordered[T any] struct {
	list   []T
	before func(a, b T) bool
	place  func(T) *int // where an element keeps its index in list
}

func (o *ordered[T]) add(x T) { heap.Push(o, x) }

// remove takes an element out that is in the heap.
func (o *ordered[T]) remove(x T) { heap.Remove(o, *o.place(x)) }

// fix restores the order after an element of the heap has changed.
func (o *ordered[T]) fix(x T) { heap.Fix(o, *o.place(x)) }

// Len implements heap.Interface.
func (o *ordered[T]) Len() int { return len(o.list) }

// Less implements heap.Interface.
func (o *ordered[T]) Less(i, j int) bool { return o.before(o.list[i], o.list[j]) }

// Swap implements heap.Interface.
func (o *ordered[T]) Swap(i, j int) {
	o.list[i], o.list[j] = o.list[j], o.list[i]
	*o.place(o.list[i]), *o.place(o.list[j]) = i, j
}

// Push implements heap.Interface.
func (o *ordered[T]) Push(x any) {
	*o.place(x.(T)) = len(o.list)
	o.list = append(o.list, x.(T))
}

// Pop implements heap.Interface.
func (o *ordered[T]) Pop() any {
	var none T
	last := len(o.list) - 1
	x := o.list[last]
	o.list[last] = none
	o.list = o.list[:last]
	return x
}
