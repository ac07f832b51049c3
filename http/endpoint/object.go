package endpoint

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"unicode/utf8"

	"watchpost/watchpost"
)

// Object is a JSON object with its members as they were written, in the memory of the
// body. Unlike encoding/json, it compares names exactly.
type Object map[string]json.RawMessage

// parseObject parses a body as JSON and ignores its Content-Type (Invalid unless
// it is one JSON object, nested at most maxDepth deep; TooLarge with more than maxBodyValues).
func parseObject(raw []byte) (Object, error) {
	raw = bytes.TrimSpace(raw)
	if !utf8.Valid(raw) || !json.Valid(raw) || raw[0] != '{' {
		return nil, watchpost.Errorf(watchpost.Invalid, textInvalidJSON)
	}
	switch depth, values := shapeOf(raw); {
	case depth > maxDepth:
		return nil, watchpost.Errorf(watchpost.Invalid, textInvalidJSON)
	case values > maxBodyValues:
		return nil, watchpost.Errorf(watchpost.TooLarge, TextTooLarge)
	}
	o := Object{}
	for m := range eachMember(raw) {
		o[string(m.name)] = m.value
	}
	return o, nil
}

// Has reports whether a member is there and not null.
func (o Object) Has(name string) bool {
	raw, ok := o[name]
	return ok && !bytes.Equal(raw, Null)
}

// HasFieldOf reports whether a member is there that is a field of a request,
// but for one.
func (o Object) HasFieldOf(request any, but string) bool {
	for _, f := range FieldsOf(reflect.TypeOf(request)) {
		if f.name != but && o.Has(f.name) {
			return true
		}
	}
	return false
}

// PickMembers returns a valid object with the named members only, in their order and
// as they were written.
func PickMembers(object []byte, names []string) []byte {
	out := []byte{'{'}
	for m := range eachMember(object) {
		if !slices.Contains(names, string(m.name)) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), m.name...), '"', ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// Pick returns the object with the given fields only.
func (o Object) Pick(fields []field) json.RawMessage {
	out := []byte{'{'}
	for _, f := range fields {
		raw, ok := o[f.name]
		if !ok {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, '"')
		out = append(out, f.name...)
		out = append(out, '"', ':')
		out = append(out, raw...)
	}
	return append(out, '}')
}
