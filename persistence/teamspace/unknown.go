package teamspace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"

	"watchpost/persistence"
)

// KeepUnknown returns a store whose views remember the fields of records that this
// build does not know, and which adds them again when the record is written: while a
// cluster is upgraded, a node of the older build works on records of the newer one.
// Fields of objects in lists are not kept, nor are those of directory entries and
// posts.
func KeepUnknown(store persistence.Store) persistence.Store {
	return &keeper{Store: store, unknown: map[persistence.Space]map[string]*fields{}}
}

type keeper struct {
	persistence.Store

	mu      sync.Mutex
	unknown map[persistence.Space]map[string]*fields // by key
}

// fields are those of an object that a type does not know.
type fields struct {
	own    map[string]json.RawMessage
	nested map[string]*fields // of objects in known fields
}

// keptView reports its reads to its keeper.
type keptView struct {
	persistence.View
	keeper *keeper
}

// View implements persistence.Store.
func (k *keeper) View(ctx context.Context) (persistence.View, error) {
	view, err := k.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	return keptView{view, k}, nil
}

// Activate implements persistence.Store. Another writer may have changed the space,
// which is loaded next.
func (k *keeper) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	k.mu.Lock()
	delete(k.unknown, space)
	k.mu.Unlock()
	return k.Store.Activate(ctx, space)
}

// Submit implements persistence.Store.
func (k *keeper) Submit(space persistence.Space, epoch persistence.Epoch, batch *persistence.Batch, done func(error)) {
	k.mu.Lock()
	if known := k.unknown[space]; len(known) > 0 && batch != nil {
		for i := range batch.Writes {
			w := &batch.Writes[i]
			switch f := known[string(w.Key)]; {
			case f == nil:
			case w.Delete:
				delete(known, string(w.Key))
			default:
				w.Value = f.addTo(w.Value)
			}
		}
	}
	k.mu.Unlock()
	k.Store.Submit(space, epoch, batch, done)
}

func (k *keeper) remember(space persistence.Space, key []byte, f *fields) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if f == nil {
		delete(k.unknown[space], string(key))
		return
	}
	if k.unknown[space] == nil {
		k.unknown[space] = map[string]*fields{}
	}
	k.unknown[space][string(key)] = f
}

// decodeAt is Decode for a record of a view.
func decodeAt(view persistence.View, space persistence.Space, key, value []byte, record any) error {
	kept, ok := view.(keptView)
	if !ok || len(value) == 0 || value[0] != recordVersion {
		return Decode(value, record)
	}
	strict := json.NewDecoder(bytes.NewReader(value[1:]))
	strict.DisallowUnknownFields()
	err := strict.Decode(record)
	if err == nil {
		kept.keeper.remember(space, key, nil)
		return nil
	}
	if !strings.HasPrefix(err.Error(), "json: unknown field") {
		return fmt.Errorf("%T: %w: %w", record, ErrRecord, err)
	}
	if err := Decode(value, record); err != nil {
		return err
	}
	again, err := json.Marshal(record)
	if err != nil {
		return err
	}
	kept.keeper.remember(space, key, difference(value[1:], again))
	return nil
}

// difference returns what the first object has and the second lacks; nil when that is
// nothing, or they are no objects.
func difference(first, second json.RawMessage) *fields {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(first, &a) != nil || json.Unmarshal(second, &b) != nil {
		return nil
	}
	f := &fields{map[string]json.RawMessage{}, map[string]*fields{}}
	for name, value := range a {
		if as, known := fieldOf(b, name); !known {
			f.own[name] = bytes.Clone(value)
		} else if nested := difference(value, b[as]); nested != nil {
			f.nested[as] = nested
		}
	}
	if len(f.own) == 0 && len(f.nested) == 0 {
		return nil
	}
	return f
}

// fieldOf returns the name under which an object has a field. Names that differ in
// case only are one field to encoding/json, which would take the value of the last.
func fieldOf(object map[string]json.RawMessage, name string) (as string, there bool) {
	if _, there = object[name]; there {
		return name, true
	}
	for as := range object {
		if strings.EqualFold(as, name) {
			return as, true
		}
	}
	return "", false
}

// addTo returns the stored form of a record with the fields.
func (f *fields) addTo(value []byte) []byte {
	if len(value) == 0 || value[0] != recordVersion {
		return value
	}
	merged, changed := f.merge(value[1:])
	if !changed {
		return value
	}
	return append([]byte{recordVersion}, merged...)
}

// merge adds the fields to an object that lacks them. An object that has gone stays
// away.
func (f *fields) merge(object json.RawMessage) (merged json.RawMessage, changed bool) {
	var all map[string]json.RawMessage
	if json.Unmarshal(object, &all) != nil || all == nil {
		return object, false
	}
	present := maps.Clone(all)
	for name, value := range f.own {
		if _, known := fieldOf(present, name); !known {
			all[name], changed = value, true
		}
	}
	for name, nested := range f.nested {
		if inner, merged := nested.merge(all[name]); merged {
			all[name], changed = inner, true
		}
	}
	if !changed {
		return object, false
	}
	merged, err := json.Marshal(all)
	return merged, err == nil
}
