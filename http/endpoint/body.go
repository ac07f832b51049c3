package endpoint

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

// ReadBody reads a request body into a B (see decode).
func ReadBody[B any](s *Server, r *http.Request) (body B, err error) {
	raw, err := s.ReadAll(r)
	if err != nil {
		return body, err
	}
	o, err := parseObject(raw)
	if err != nil {
		return body, err
	}
	return decode[B](o)
}

// decode makes a B of an object: by its own DecodeObject, else by Bind. It reads
// and changes nothing else.
func decode[B any](o Object) (body B, err error) {
	if own, ok := any(&body).(ObjectDecoder); ok {
		return body, own.DecodeObject(o)
	}
	return body, Bind(o, &body)
}

// ObjectDecoder is a body that can be one thing or another.
type ObjectDecoder interface{ DecodeObject(o Object) error }

// Bind copies the members of an object into the fields of a struct, in the
// order of the fields, and returns the error of the first invalid field. A
// field's tags hold the text of the error:
//
//	required:"text"  when it is absent, null or of a wrong type;
//	                 an empty text stands for: Missing or invalid '<name>'
//	invalid:"text"   when it is of a wrong type, instead of: Invalid '<name>'
//
// null is the same as absent, unless the field is a nullable. Each field is
// cleaned, by the FieldCleaner too, before the next one is read.
func Bind(o Object, into any) error {
	v := reflect.ValueOf(into).Elem()
	cleaner, cleans := into.(FieldCleaner)
	for _, f := range FieldsOf(v.Type()) {
		raw, given := o[f.name]
		if given && !f.nullable && bytes.Equal(raw, Null) {
			given = false
		}
		if !given && f.required {
			return watchpost.Errorf(watchpost.Invalid, "%s", f.Text)
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

// FieldCleaner is a request whose fields have bounds beyond their types. Bind
// calls CleanField for each field, given or not, after reading it and the fields
// before it; a rule about several fields belongs to the last of them. The request
// keeps the cleaned values, so that nothing is validated twice.
type FieldCleaner interface {
	CleanField(name string) error
}

// Null is how a body says that there is no value.
var Null = []byte("null")

// Nullable is a string for which null means something: Set tells that the
// member was there, null or not.
type Nullable struct {
	Set   bool
	Value string
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Nullable) UnmarshalJSON(raw []byte) error {
	n.Set = true
	return json.Unmarshal(raw, &n.Value)
}

// Field is what Bind knows of a struct's field.
type field struct {
	index    []int
	name     string
	required bool
	nullable bool
	Text     string
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
	return watchpost.Errorf(watchpost.Invalid, "%s", f.Text)
}

// maxText bounds the characters of a text field or parameter that names no other
// bound.
const maxText = 2000

// tooLong is the error of a text over its bound.
func (f *field) tooLong() error {
	if strings.HasPrefix(f.Text, "Missing or invalid '") || strings.HasPrefix(f.Text, "Invalid '") {
		return watchpost.Errorf(watchpost.Invalid, "%s", f.Text)
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
		if n, ok := v.Interface().(Nullable); ok {
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

// FieldsOf returns what Bind knows of the fields of a struct.
func FieldsOf(t reflect.Type) []field {
	if known, ok := knownFields.Load(t); ok {
		return known.([]field)
	}
	fields := make([]field, 0, t.NumField())
	for _, declared := range reflect.VisibleFields(t) {
		if declared.Anonymous || !declared.IsExported() {
			continue // VisibleFields lists the fields of embedded structs, too
		}
		f := field{index: declared.Index, nullable: declared.Type == reflect.TypeFor[Nullable]()}
		f.name, _, _ = strings.Cut(declared.Tag.Get("json"), ",")
		if most, own := bound(declared.Tag); !own && f.name != "id" { // a long id is one that does not exist
			f.most = most
		}
		f.Text, f.required = declared.Tag.Lookup("required")
		switch {
		case f.required && f.Text == "":
			f.Text = "Missing or invalid '" + f.name + "'"
		case !f.required:
			f.Text = declared.Tag.Get("invalid")
		}
		if f.Text == "" {
			f.Text = "Invalid '" + f.name + "'"
		}
		fields = append(fields, f)
	}
	knownFields.Store(t, fields)
	return fields
}
