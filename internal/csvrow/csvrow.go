// Package csvrow writes rows of CSV (RFC 4180) whose cells no spreadsheet takes for
// formulas.
package csvrow

import (
	"bytes"
	"slices"
)

// Append appends a row of cells and the end of the line.
func Append(dst []byte, cells ...string) []byte {
	for i, cell := range cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendCell(dst, []byte(cell))
	}
	return append(dst, '\n')
}

// formulas are the characters with which a spreadsheet takes a cell for a formula, or
// skips to one.
const formulas = "=+-@\t\r"

// AppendCell appends a cell. A text that a spreadsheet would take for a formula gets an
// apostrophe before it.
func AppendCell(dst, cell []byte) []byte {
	if len(cell) == 0 {
		return dst
	}
	formula := bytes.IndexByte([]byte(formulas), cell[0]) >= 0
	if !formula && cell[0] != ' ' && !needsQuotes(cell) {
		return append(dst, cell...)
	}
	dst = append(slices.Grow(dst, len(cell)+3), '"')
	if formula {
		dst = append(dst, '\'')
	}
	for {
		before, after, found := bytes.Cut(cell, []byte{'"'})
		if dst = append(dst, before...); !found {
			return append(dst, '"')
		}
		dst, cell = append(dst, '"', '"'), after
	}
}

// needsQuotes reports whether a cell has a character that ends cells or lines. Four fast
// searches take less than one for any of them.
func needsQuotes(cell []byte) bool {
	return bytes.IndexByte(cell, ',') >= 0 || bytes.IndexByte(cell, '"') >= 0 || bytes.IndexByte(cell, '\n') >= 0 || bytes.IndexByte(cell, '\r') >= 0
}
