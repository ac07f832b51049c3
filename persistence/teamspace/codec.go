package teamspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// recordVersion is the first byte of every record. A change of a record's
// meaning takes the next number, and Decode learns to read the old one.
const recordVersion = 1

// Encode returns the stored form of a record.
func Encode(record any) []byte {
	b, err := json.Marshal(record)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", record, err)) // our own types: a bug
	}
	return append([]byte{recordVersion}, b...)
}

// ErrRecord means that a value is no record as this build knows it.
var ErrRecord = errors.New("record cannot be read")

// Decode reads the stored form of a record.
func Decode(value []byte, record any) error {
	if len(value) == 0 || value[0] != recordVersion {
		return fmt.Errorf("%T: %w: unknown version", record, ErrRecord)
	}
	if err := json.Unmarshal(value[1:], record); err != nil {
		return fmt.Errorf("%T: %w: %w", record, ErrRecord, err)
	}
	return nil
}

// Load decodes the record at a key; persistence.ErrNotFound when there is none.
func Load[R any](view persistence.View, space persistence.Space, key []byte) (R, error) {
	var record R
	value, err := view.Get(space, key)
	if err != nil {
		return record, err
	}
	return record, decodeAt(view, space, key, value, &record)
}

// readAtOnce is how many records LoadEach reads at a time: however large they are, they
// have 32 MiB at most.
const readAtOnce = 32 << 20 / persistence.MaxValue

// LoadEach calls yield with the record at each of the keys, in their order;
// persistence.ErrNotFound when there is none at one. It reads many at a time: a round
// trip for each would take a minute for 100,000.
func LoadEach[R any](view persistence.View, space persistence.Space, keys [][]byte, yield func(record R)) error {
	for some := range slices.Chunk(keys, readAtOnce) {
		values, err := view.GetAll(space, some)
		if err != nil {
			return err
		}
		for i, value := range values {
			if value == nil {
				return fmt.Errorf("%q: %w", some[i], persistence.ErrNotFound)
			}
			var record R
			if err := decodeAt(view, space, some[i], value, &record); err != nil {
				return err
			}
			yield(record)
		}
	}
	return nil
}

// LoadAll calls yield with the id and the record of every key with the prefix.
func LoadAll[R any](view persistence.View, space persistence.Space, prefix string, yield func(id string, record R)) error {
	var failure error
	err := view.Scan(space, []byte(prefix), persistence.PrefixEnd([]byte(prefix)), func(k, v []byte) bool {
		var record R
		if failure = decodeAt(view, space, k, v, &record); failure != nil {
			return false
		}
		yield(string(k[len(prefix):]), record)
		return true
	})
	if err != nil {
		return err
	}
	return failure
}

// Lookup decodes a directory entry; persistence.ErrNotFound when there is none.
func Lookup[R any](view persistence.View, kind, name string) (R, error) {
	record, _, err := lookupStored[R](view, kind, name)
	return record, err
}

// LookupEach calls yield with the record of each directory entry of a kind that there is
// with one of the names, in their order, and with the entry as it is stored. It reads many
// at a time.
func LookupEach[R any](view persistence.View, kind string, names []string, yield func(name string, record R, stored []byte)) error {
	for some := range slices.Chunk(names, readAtOnce) {
		values, err := view.LookupAll(kind, some)
		if err != nil {
			return err
		}
		for i, value := range values {
			if value == nil {
				continue
			}
			var record R
			if err := Decode(value, &record); err != nil {
				return err
			}
			yield(some[i], record, value)
		}
	}
	return nil
}

// lookupStored is lookup, and returns the entry as it is stored too. A
// compare-and-set expects the stored bytes: a record that is encoded again lacks
// the fields that this build does not know.
func lookupStored[R any](view persistence.View, kind, name string) (record R, stored []byte, err error) {
	value, err := view.Lookup(persistence.DirectoryKey{Kind: kind, Name: name})
	if err != nil {
		return record, nil, err
	}
	return record, bytes.Clone(value), Decode(value, &record)
}

// EachEntry calls yield with the name and the record of every directory entry of a kind,
// until yield returns an error, which it returns.
func EachEntry[R any](view persistence.View, kind string, yield func(name string, record R) error) error {
	var failure error
	err := view.ScanDirectory(kind, "", func(name string, value []byte) bool {
		var record R
		if failure = Decode(value, &record); failure == nil {
			failure = yield(name, record)
		}
		return failure == nil
	})
	return errors.Join(err, failure)
}

// InvitationName is the name of an InvitationEntry. No address has a space.
func InvitationName(email string, id watchpost.InvitationID) string { return email + " " + string(id) }

// Invitations calls yield with the invitations of an address, the oldest first, until it
// returns false.
func Invitations(view persistence.View, email string, yield func(id watchpost.InvitationID, entry InvitationEntry) bool) error {
	prefix := InvitationName(email, "")
	var failure error
	err := view.ScanDirectory(DirInvitation, prefix, func(name string, value []byte) bool {
		id, ours := strings.CutPrefix(name, prefix)
		if !ours {
			return false
		}
		var entry InvitationEntry
		failure = Decode(value, &entry)
		return failure == nil && yield(watchpost.InvitationID(id), entry)
	})
	return errors.Join(err, failure)
}

// Names returns the names of the directory entries of a kind, in bytewise order.
func Names[T ~string](view persistence.View, kind string) (names []T, err error) {
	err = view.ScanDirectory(kind, "", func(name string, _ []byte) bool {
		names = append(names, T(name))
		return true
	})
	return names, err
}

// AnyTeam reports whether there is a team. It reads one line of the directory at most.
func AnyTeam(view persistence.View) (found bool, err error) {
	err = view.ScanDirectory(DirTeam, "", func(string, []byte) bool {
		found = true
		return false
	})
	return found, err
}

// Read looks up a directory entry in a new view.
func Read[R any](ctx context.Context, store persistence.Store, kind, name string) (R, error) {
	record, _, err := ReadStored[R](ctx, store, kind, name)
	return record, err
}

// ReadStored is lookupStored in a new view.
func ReadStored[R any](ctx context.Context, store persistence.Store, kind, name string) (record R, stored []byte, err error) {
	view, err := store.View(ctx)
	if err != nil {
		return record, nil, err
	}
	defer view.Close()
	return lookupStored[R](view, kind, name)
}
