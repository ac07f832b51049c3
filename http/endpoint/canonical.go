package endpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"iter"
	"slices"
)

// canonicalHash is the same for bodies that say the same, however they are written. The
// body is valid JSON. Its parts are hashed where they are: a tree of values would take
// some 50 times as much memory as the body.
func canonicalHash(body []byte) string {
	hash := sha256.New()
	hashValue(hash, bytes.TrimSpace(body))
	return hex.EncodeToString(hash.Sum(nil))
}

// hashValue writes a value as json.Marshal writes it: names in order, the last of equal
// ones, without spaces, numbers as they are.
func hashValue(w io.Writer, value []byte) {
	switch value[0] {
	case '{':
		members := membersOf(value)
		slices.SortStableFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
		separator := "{"
		for i, m := range members {
			if i+1 < len(members) && bytes.Equal(members[i+1].name, m.name) {
				continue
			}
			_, _ = io.WriteString(w, separator)
			separator = ","
			hashText(w, m.name)
			_, _ = io.WriteString(w, ":")
			hashValue(w, m.value)
		}
		if separator == "{" {
			_, _ = io.WriteString(w, separator)
		}
		_, _ = io.WriteString(w, "}")
	case '[':
		separator := "["
		for rest := next(value[1:]); rest[0] != ']'; {
			n := lengthOf(rest)
			_, _ = io.WriteString(w, separator)
			separator = ","
			hashValue(w, rest[:n])
			rest = next(rest[n:])
		}
		if separator == "[" {
			_, _ = io.WriteString(w, separator)
		}
		_, _ = io.WriteString(w, "]")
	case '"':
		hashText(w, textOf(value))
	default:
		_, _ = w.Write(value)
	}
}

func hashText(w io.Writer, text []byte) {
	quoted, err := json.Marshal(string(text))
	if err != nil {
		panic(err) // no text fails
	}
	_, _ = w.Write(quoted)
}

// member is a member of an object, its value as it was written. Both lie in the body,
// but for a name that was escaped.
type member struct {
	name  []byte
	value json.RawMessage
}

// membersOf returns the members of a valid object in their order.
func membersOf(object []byte) []member {
	n := 0
	for range eachMember(object) {
		n++
	}
	members := make([]member, 0, n)
	for m := range eachMember(object) {
		members = append(members, m)
	}
	return members
}

// eachMember goes through the members of a valid object in their order.
func eachMember(object []byte) iter.Seq[member] {
	return func(yield func(member) bool) {
		for rest := next(object[1:]); rest[0] != '}'; {
			n := lengthOf(rest)
			name := textOf(rest[:n])
			rest = next(rest[n:])
			n = lengthOf(rest)
			if !yield(member{name, rest[:n:n]}) {
				return
			}
			rest = next(rest[n:])
		}
	}
}

// next skips what stands between values of valid JSON.
func next(rest []byte) []byte { return bytes.TrimLeft(rest, " \t\r\n,:") }

// lengthOf returns the length of the value that valid JSON begins with.
func lengthOf(rest []byte) int {
	depth := 0
	for i := 0; ; i++ {
		switch rest[i] {
		case '"':
			for i++; rest[i] != '"'; i++ {
				if rest[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default: // a number, true, false or null, unless it stands within the value
			if depth > 0 {
				continue
			}
			if n := bytes.IndexAny(rest, " \t\r\n,:]}"); n >= 0 {
				return n
			}
			return len(rest)
		}
		if depth == 0 {
			return i + 1
		}
	}
}

// Bounds of a body's values.
const (
	// maxDepth bounds how deep they are nested: each level is read again for the one
	// around it.
	maxDepth = 32
	// maxBodyValues bounds how many there are. A value can be written in two bytes and takes
	// hundreds when it is decoded, so the length of a body does not bound its memory.
	maxBodyValues = 1 << 14
)

// shapeOf returns how deep the values of valid JSON are nested, and about how many there
// are: an empty array or object counts twice.
func shapeOf(raw []byte) (depth, values int) {
	open := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			open++
			depth = max(depth, open)
			values++
		case '}', ']':
			open--
		case ',':
			values++
		}
	}
	return depth, values
}

// ManyValues reports whether JSON that was not checked yet is valid and has more than
// maxBodyValues. Each takes a byte, so short ones need no look.
func ManyValues(raw []byte) bool {
	if len(raw) <= maxBodyValues || !json.Valid(raw) {
		return false
	}
	_, values := shapeOf(raw)
	return values > maxBodyValues
}

// textOf decodes a valid string.
func textOf(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		panic(err) // it was valid
	}
	return []byte(text)
}
