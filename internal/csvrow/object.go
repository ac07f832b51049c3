package csvrow

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Column is a member of JSON objects that is a cell of their rows. A member that is an
// object, or a list of them, is a cell by its own member Of.
type Column struct{ Name, Member, Of string }

// Separator stands between the values of a list.
const Separator = "; "

// AppendHeader appends the names of columns.
func AppendHeader(dst []byte, columns []Column) []byte {
	for i := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendCell(dst, []byte(columns[i].Name))
	}
	return append(dst, '\n')
}

// Rows makes rows of JSON objects. It reads each object once, without decoding it, so the
// objects must be what package json has written, without spaces.
type Rows struct {
	Columns []Column
	cells   [][]byte
	text    []byte
	members []member
}

// member is a member of the last object, by its place: objects of a kind have the same
// members in the same order, so its columns are seldom searched for.
type member struct {
	name    string
	columns []int
}

// Append appends the row of an object.
func (r *Rows) Append(dst, object []byte) []byte {
	if r.cells == nil {
		r.cells = make([][]byte, len(r.Columns))
	}
	clear(r.cells)
	place := 0
	for members := (reader{object, 1}); members.more('}'); place++ {
		name := members.value()
		members.at++ // the colon
		value := members.value()
		for _, i := range r.columnsOf(place, name[1:len(name)-1]) {
			r.cells[i] = value
		}
	}
	for i, cell := range r.cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.appendValue(dst, cell, r.Columns[i].Of)
	}
	return append(dst, '\n')
}

// columnsOf returns the columns of the member at a place.
func (r *Rows) columnsOf(place int, name []byte) []int {
	if place < len(r.members) && r.members[place].name == string(name) {
		return r.members[place].columns
	}
	m := member{name: string(name)}
	for i := range r.Columns {
		if r.Columns[i].Member == m.name {
			m.columns = append(m.columns, i)
		}
	}
	r.members = append(r.members[:min(place, len(r.members))], m)
	return m.columns
}

// appendValue appends a value as a cell. Numbers and booleans are as in JSON, null is an
// empty cell.
func (r *Rows) appendValue(dst, value []byte, of string) []byte {
	if len(value) == 0 || string(value) == "null" {
		return dst
	}
	switch value[0] {
	case '"', '{', '[':
		r.text = appendText(r.text[:0], value, of)
		return AppendCell(dst, r.text)
	}
	return append(dst, value...)
}

// appendText appends the text of a value: of a list, that of its elements; of an object,
// that of a member.
func appendText(dst, value []byte, of string) []byte {
	switch {
	case len(value) == 0:
		return dst
	case value[0] == '"':
		return appendUnescaped(dst, value[1:len(value)-1])
	case value[0] == '[':
		for elements, first := (reader{value, 1}), true; elements.more(']'); first = false {
			if !first {
				dst = append(dst, Separator...)
			}
			dst = appendText(dst, elements.value(), of)
		}
		return dst
	case value[0] == '{':
		for members := (reader{value, 1}); members.more('}'); {
			name := members.value()
			members.at++
			if member := members.value(); string(name[1:len(name)-1]) == of {
				return appendText(dst, member, of)
			}
		}
		return dst
	}
	return append(dst, value...)
}

// reader goes through the members of an object or the elements of a list.
type reader struct {
	b  []byte
	at int
}

// more goes to the next member or element; false at the end.
func (r *reader) more(end byte) bool {
	if r.at < len(r.b) && r.b[r.at] == ',' {
		r.at++
	}
	return r.at < len(r.b) && r.b[r.at] != end
}

// value returns the next value and goes past it.
func (r *reader) value() []byte {
	from := r.at
	depth := 0
	for r.at < len(r.b) {
		switch r.b[r.at] {
		case '"':
			r.skipText()
			if depth == 0 {
				return r.b[from:r.at]
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return r.b[from:r.at]
			}
			if depth--; depth == 0 {
				r.at++
				return r.b[from:r.at]
			}
		case ',', ':':
			if depth == 0 {
				return r.b[from:r.at]
			}
		}
		r.at++
	}
	return r.b[from:r.at]
}

// skipText goes past a text.
func (r *reader) skipText() {
	for r.at++; r.at < len(r.b); {
		n := bytes.IndexByte(r.b[r.at:], '"')
		if n < 0 {
			r.at = len(r.b)
			return
		}
		escapes := 0
		for i := r.at + n - 1; i >= r.at && r.b[i] == '\\'; i-- {
			escapes++
		}
		if r.at += n + 1; escapes%2 == 0 {
			return
		}
	}
}

// unescaped are the characters behind a backslash, but for u.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendUnescaped appends a text of JSON without its quotes.
func appendUnescaped(dst, text []byte) []byte {
	for {
		n := bytes.IndexByte(text, '\\')
		if n < 0 || n+1 >= len(text) {
			return append(dst, text...)
		}
		dst, text = append(dst, text[:n]...), text[n:]
		if text[1] != 'u' || len(text) < 6 {
			dst, text = append(dst, unescaped[text[1]]), text[2:]
			continue
		}
		c := hex(text[2:6])
		if text = text[6:]; utf16.IsSurrogate(c) && len(text) >= 6 && text[0] == '\\' && text[1] == 'u' {
			if both := utf16.DecodeRune(c, hex(text[2:6])); both != utf8.RuneError {
				c, text = both, text[6:]
			}
		}
		dst = utf8.AppendRune(dst, c)
	}
}

func hex(digits []byte) rune {
	n, err := strconv.ParseUint(string(digits), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
