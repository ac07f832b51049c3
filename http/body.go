package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"watchpost/watchpost"
)

// object is a JSON object with its members as they were written, in the memory of the
// body. Unlike
// encoding/json, it compares names exactly.
type object map[string]json.RawMessage

// readBody reads a request body into a B (see decode).
func readBody[B any](s *shared, r *http.Request) (body B, err error) {
	raw, err := s.readAll(r)
	if err != nil {
		return body, err
	}
	o, err := parseObject(raw)
	if err != nil {
		return body, err
	}
	return decode[B](o)
}

// parseObject parses a body as JSON and ignores its Content-Type (Invalid unless
// it is one JSON object, nested at most maxDepth deep; TooLarge with more than maxBodyValues).
func parseObject(raw []byte) (object, error) {
	raw = bytes.TrimSpace(raw)
	if !utf8.Valid(raw) || !json.Valid(raw) || raw[0] != '{' {
		return nil, watchpost.Errorf(watchpost.Invalid, textInvalidJSON)
	}
	switch depth, values := shapeOf(raw); {
	case depth > maxDepth:
		return nil, watchpost.Errorf(watchpost.Invalid, textInvalidJSON)
	case values > maxBodyValues:
		return nil, watchpost.Errorf(watchpost.TooLarge, textTooLarge)
	}
	o := object{}
	for m := range eachMember(raw) {
		o[string(m.name)] = m.value
	}
	return o, nil
}

// decode makes a B of an object: by its own DecodeObject, else by bind. It reads
// and changes nothing else.
func decode[B any](o object) (body B, err error) {
	if own, ok := any(&body).(objectDecoder); ok {
		return body, own.DecodeObject(o)
	}
	return body, bind(o, &body)
}

// objectDecoder is a body that can be one thing or another.
type objectDecoder interface{ DecodeObject(o object) error }

// bind copies the members of an object into the fields of a struct, in the
// order of the fields, and returns the error of the first invalid field. A
// field's tags hold the text of the error:
//
//	required:"text"  when it is absent, null or of a wrong type;
//	                 an empty text stands for: Missing or invalid '<name>'
//	invalid:"text"   when it is of a wrong type, instead of: Invalid '<name>'
//
// null is the same as absent, unless the field is a nullable. Each field is
// cleaned, by the fieldCleaner too, before the next one is read.
func bind(o object, into any) error {
	v := reflect.ValueOf(into).Elem()
	cleaner, cleans := into.(fieldCleaner)
	for _, f := range fieldsOf(v.Type()) {
		raw, given := o[f.name]
		if given && !f.nullable && bytes.Equal(raw, null) {
			given = false
		}
		if !given && f.required {
			return watchpost.Errorf(watchpost.Invalid, "%s", f.text)
		}
		if given {
			if err := f.read(raw, v); err != nil {
				return err
			}
		}
		if cleans {
			if err := cleaner.CleanField(f.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// fieldCleaner is a request whose fields have bounds beyond their types. bind
// calls CleanField for each field, given or not, after reading it and the fields
// before it; a rule about several fields belongs to the last of them. The request
// keeps the cleaned values, so that nothing is validated twice.
type fieldCleaner interface {
	CleanField(name string) error
}

var null = []byte("null")

// nullable is a string for which null means something: Set tells that the
// member was there, null or not.
type nullable struct {
	Set   bool
	Value string
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *nullable) UnmarshalJSON(raw []byte) error {
	n.Set = true
	return json.Unmarshal(raw, &n.Value)
}

// field is what bind knows of a struct's field.
type field struct {
	index    []int
	name     string
	required bool
	nullable bool
	text     string
	most     int // characters of a text; 0: the field's own check knows
}

// read reads the field's value into the struct.
func (f *field) read(raw json.RawMessage, v reflect.Value) error {
	target := v.FieldByIndex(f.index)
	err := json.Unmarshal(raw, target.Addr().Interface())
	switch {
	case err == nil && f.most > 0 && longest(target) > f.most:
		return f.tooLong()
	case err == nil:
		return nil
	}
	var told *watchpost.Error
	if errors.As(err, &told) {
		return told
	}
	return watchpost.Errorf(watchpost.Invalid, "%s", f.text)
}

// maxText bounds the characters of a text field or parameter that names no other
// bound.
const maxText = 2000

// tooLong is the error of a text over its bound.
func (f *field) tooLong() error {
	if strings.HasPrefix(f.text, "Missing or invalid '") || strings.HasPrefix(f.text, "Invalid '") {
		return watchpost.Errorf(watchpost.Invalid, "%s", f.text)
	}
	return watchpost.Errorf(watchpost.Invalid, "Invalid '%s'", f.name)
}

// longest returns how many characters the longest text of a value has.
func longest(v reflect.Value) int {
	switch v.Kind() {
	case reflect.String:
		return utf8.RuneCountInString(v.String())
	case reflect.Pointer:
		if !v.IsNil() {
			return longest(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.String {
			return 0
		}
		most := 0
		for i := range v.Len() {
			most = max(most, longest(v.Index(i)))
		}
		return most
	case reflect.Struct:
		if n, ok := v.Interface().(nullable); ok {
			return utf8.RuneCountInString(n.Value)
		}
	}
	return 0
}

// bound reads the tag maxLength:"n", the most characters of a text. With
// maxLength:"n,own" the field's own check refuses longer ones in its words.
func bound(tag reflect.StructTag) (most int, own bool) {
	value, rest, _ := strings.Cut(tag.Get("maxLength"), ",")
	most, err := strconv.Atoi(value)
	if err != nil {
		return maxText, false
	}
	return most, rest == "own"
}

var knownFields sync.Map // reflect.Type to []field

func fieldsOf(t reflect.Type) []field {
	if known, ok := knownFields.Load(t); ok {
		return known.([]field)
	}
	fields := make([]field, 0, t.NumField())
	for _, declared := range reflect.VisibleFields(t) {
		if declared.Anonymous || !declared.IsExported() {
			continue // VisibleFields lists the fields of embedded structs, too
		}
		f := field{index: declared.Index, nullable: declared.Type == reflect.TypeFor[nullable]()}
		f.name, _, _ = strings.Cut(declared.Tag.Get("json"), ",")
		if most, own := bound(declared.Tag); !own && f.name != "id" { // a long id is one that does not exist
			f.most = most
		}
		f.text, f.required = declared.Tag.Lookup("required")
		switch {
		case f.required && f.text == "":
			f.text = "Missing or invalid '" + f.name + "'"
		case !f.required:
			f.text = declared.Tag.Get("invalid")
		}
		if f.text == "" {
			f.text = "Invalid '" + f.name + "'"
		}
		fields = append(fields, f)
	}
	knownFields.Store(t, fields)
	return fields
}
