package badger

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"watchpost/persistence"
	"watchpost/persistence/badger/integrity"
)

// damage are the lost parts of the files. The store is used without them when
// they held records of some spaces only: every access to these spaces fails.
type damage []integrity.Damage

// refuses returns an error when the store cannot be used.
func (d damage) refuses() error {
	var reasons []string
	for i := range d {
		if !local(&d[i]) {
			reasons = append(reasons, d[i].String()+d.whose(&d[i]))
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	const most = 3
	if more := len(reasons) - most; more > 0 {
		reasons = append(reasons[:most], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("%w: nothing was changed: restore a backup: %s", persistence.ErrDamaged, strings.Join(reasons, "; "))
}

// whose names the space that certainly has records in a part.
func (d damage) whose(part *integrity.Damage) string {
	if space, ok := spaceOf(part.From); ok {
		return fmt.Sprintf(" (records of team %s, and maybe of others)", space)
	}
	return ""
}

// local reports whether only pairs of spaces are lost: the directory, the epochs
// and the marker belong to all of them.
func local(d *integrity.Damage) bool {
	return d.Local() && d.From[0] == tagPair && d.To[0] == tagPair
}

// of returns the error of a space that has lost records.
func (d damage) of(space persistence.Space) error {
	if len(d) == 0 {
		return nil
	}
	first := appendSpace(nil, space)
	i := slices.IndexFunc(d, func(part integrity.Damage) bool {
		return bytes.Compare(part.To, first) >= 0 && bytes.Compare(part.From, persistence.PrefixEnd(first)) < 0
	})
	if i < 0 {
		return nil
	}
	return fmt.Errorf("%w: team %s: %s: restore a backup", persistence.ErrDamaged, space, d[i])
}

// spaceOf returns the space of a pair's key.
func spaceOf(key []byte) (persistence.Space, bool) {
	if len(key) < 2 || key[0] != tagPair || len(key) < 2+int(key[1]) {
		return "", false
	}
	return persistence.Space(key[2 : 2+int(key[1])]), true
}
