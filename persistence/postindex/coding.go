package postindex

import (
	"encoding/binary"
	"errors"
	"time"
)

// errDamaged means that a stored value was not written by this package.
var errDamaged = errors.New("postindex: damaged value")

// reader takes a stored value apart. After a fault all that it reads is zero.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads the number of elements; each takes at least least bytes.
func (r *reader) count(least int) int {
	n := r.uint()
	if n > uint64(len(r.b)/max(least, 1)) {
		r.fail()
		return 0
	}
	return int(n)
}

// bytes reads n bytes, which alias the value.
func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail()
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) text() string { return string(r.bytes(r.count(1))) }

func (r *reader) time() time.Time {
	s, n := r.int(), r.uint()
	return time.Unix(s, int64(n)).UTC()
}

func (r *reader) fail() { r.b, r.bad = nil, true }

// end returns errDamaged unless the value was read whole and well.
func (r *reader) end() error {
	if r.bad || len(r.b) > 0 {
		return errDamaged
	}
	return nil
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendTime(dst []byte, t time.Time) []byte {
	return binary.AppendUvarint(binary.AppendVarint(dst, t.Unix()), uint64(t.Nanosecond()))
}
