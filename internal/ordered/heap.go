// Package ordered has a heap whose elements can be moved and removed, and the entries of
// a map in their order.
package ordered

import "container/heap"

// Heap is a heap whose elements know their place in it, so that any of them can be
// removed.
type Heap[T any] struct{ elements elements[T] }

// New returns an empty heap with the order of before. place returns where an element keeps
// its index in the heap.
func New[T any](before func(a, b T) bool, place func(T) *int) Heap[T] {
	return Heap[T]{elements[T]{before: before, place: place}}
}

// Len counts the elements.
func (h *Heap[T]) Len() int { return len(h.elements.list) }

// First returns the element that is before all others; there must be one.
func (h *Heap[T]) First() T { return h.elements.list[0] }

// All returns the elements, in no order but for the first. It is the heap's own list.
func (h *Heap[T]) All() []T { return h.elements.list }

// Add adds an element.
func (h *Heap[T]) Add(x T) { heap.Push(&h.elements, x) }

// Remove takes an element out that is in the heap.
func (h *Heap[T]) Remove(x T) { heap.Remove(&h.elements, *h.elements.place(x)) }

// Fix restores the order after an element of the heap has changed.
func (h *Heap[T]) Fix(x T) { heap.Fix(&h.elements, *h.elements.place(x)) }

// elements implements heap.Interface.
type elements[T any] struct {
	list   []T
	before func(a, b T) bool
	place  func(T) *int
}

// Len implements heap.Interface.
func (e *elements[T]) Len() int { return len(e.list) }

// Less implements heap.Interface.
func (e *elements[T]) Less(i, j int) bool { return e.before(e.list[i], e.list[j]) }

// Swap implements heap.Interface.
func (e *elements[T]) Swap(i, j int) {
	e.list[i], e.list[j] = e.list[j], e.list[i]
	*e.place(e.list[i]), *e.place(e.list[j]) = i, j
}

// Push implements heap.Interface.
func (e *elements[T]) Push(x any) {
	*e.place(x.(T)) = len(e.list)
	e.list = append(e.list, x.(T))
}

// Pop implements heap.Interface.
func (e *elements[T]) Pop() any {
	var none T
	last := len(e.list) - 1
	x := e.list[last]
	e.list[last] = none
	e.list = e.list[:last]
	return x
}
