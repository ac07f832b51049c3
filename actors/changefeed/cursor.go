package changefeed

import (
	"encoding/base64"
	"encoding/binary"

	"watchpost/watchpost"
)

// Cursor is a place in the changes of a team: behind the change of that number. Writer is
// that of its record: after a restored backup the number may be another change's. The
// place before the first change is the zero value.
type Cursor struct{ Number, Writer uint64 }

// cursorVersion is the first byte of a cursor.
const cursorVersion = 1

// String returns the form that clients keep.
func (c Cursor) String() string {
	b := binary.BigEndian.AppendUint64([]byte{cursorVersion}, c.Number)
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(b, c.Writer))
}

// ParseCursor reads what String returns (Invalid).
func ParseCursor(s string) (Cursor, error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) != 17 || b[0] != cursorVersion {
		return Cursor{}, watchpost.Errorf(watchpost.Invalid, "Invalid 'cursor'")
	}
	return Cursor{binary.BigEndian.Uint64(b[1:]), binary.BigEndian.Uint64(b[9:])}, nil
}
