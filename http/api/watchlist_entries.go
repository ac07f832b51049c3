package api

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// keywordEntry is an element of keywords: a string, or an object.
type keywordEntry struct{ watchpost.KeywordEntry }

// UnmarshalJSON implements json.Unmarshaler.
func (e *keywordEntry) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		return json.Unmarshal(raw, &e.Keyword)
	}
	var o endpoint.Object
	if err := json.Unmarshal(raw, &o); err != nil || o == nil {
		return watchpost.Errorf(watchpost.Invalid, "Invalid 'keywords'")
	}
	var fields struct {
		Keyword  string   `json:"keyword" maxLength:"100,own"`
		Required []string `json:"required_keywords" maxLength:"100,own"`
		Exclude  []string `json:"exclude_keywords" maxLength:"100,own"`
		Excluded []string `json:"excluded_keywords" maxLength:"100,own"`
		All      *bool    `json:"include_all_required"`
	}
	if err := endpoint.Bind(o, &fields); err != nil {
		return err
	}
	e.Keyword, e.Required = fields.Keyword, fields.Required
	e.AnyRequired = fields.All != nil && !*fields.All
	e.Excluded = slices.Concat(fields.Exclude, fields.Excluded)
	return nil
}

func keywordEntries(given []keywordEntry) []watchpost.KeywordEntry {
	entries := make([]watchpost.KeywordEntry, len(given))
	for i, e := range given {
		entries[i] = e.KeywordEntry
	}
	return entries
}

// conditionNames are the conditions of a keyword or forum watchlist in a request.
type conditionNames struct {
	Languages *[]string `json:"languages,omitempty"`
	Levels    *[]string `json:"seniority_levels,omitempty"`
	Types     *[]string `json:"post_types,omitempty" description:"kinds of post, any of them: text, image, video, article, poll; plurals and synonyms count; empty: all"`
}

// cleanField brings the condition of a field into canonical form; known is false for
// another field.
func (c *conditionNames) cleanField(name string) (known bool, err error) {
	given, known := map[string]*[]string{"languages": c.Languages, "seniority_levels": c.Levels, "post_types": c.Types}[name]
	if given != nil {
		*given, err = watchpost.CleanWatchlistCondition(name, *given)
	}
	return known, err
}

// conditions are those of a new watchlist.
func (c *conditionNames) conditions() watchpost.WatchlistConditions {
	values := func(given *[]string) []string {
		if given == nil {
			return nil
		}
		return *given
	}
	return watchpost.WatchlistConditions{Languages: values(c.Languages), Levels: values(c.Levels), Types: values(c.Types)}
}

// conditionErrors are the errors of conditions.
var conditionErrors = []string{
	"Invalid 'languages'", "Invalid 'seniority_levels': use C-Level, Founder, VP, Director, Manager, Senior or Entry",
	"Invalid 'post_types': use text, image, video, article or poll",
	fmt.Sprintf("Too many values for 'languages', at most %d", watchpost.MaxConditionValues),
}

// labelEntry is an element of labels: a string, or an object.
type labelEntry struct{ watchpost.Label }

// UnmarshalJSON implements json.Unmarshaler.
func (e *labelEntry) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		return json.Unmarshal(raw, &e.Name)
	}
	var o endpoint.Object
	if err := json.Unmarshal(raw, &o); err != nil || o == nil {
		return watchpost.Errorf(watchpost.Invalid, "Invalid 'labels'")
	}
	var fields struct {
		Name        string `json:"name" invalid:"Invalid 'labels'" maxLength:"100,own"`
		Key         string `json:"key" invalid:"Invalid 'labels'" maxLength:"100,own"`
		Description string `json:"description" invalid:"Invalid 'labels'"`
		Default     bool   `json:"default" invalid:"Invalid 'labels'"`
	}
	if err := endpoint.Bind(o, &fields); err != nil {
		return err
	}
	e.Label = watchpost.Label{Name: fields.Name, Description: fields.Description, Default: fields.Default}
	if endpoint.IsBlank(e.Name) {
		e.Name = fields.Key
	}
	return nil
}

func labels(given []labelEntry) []watchpost.Label {
	list := make([]watchpost.Label, len(given))
	for i, l := range given {
		list[i] = l.Label
	}
	return list
}

// handmadeSchemas are the types that the generator cannot describe: those that
// are one thing or another.
func handmadeSchemas(generated openapi3.Schemas) map[string]*openapi3.Schema {
	text := openapi3.NewStringSchema
	texts := func() *openapi3.Schema {
		return openapi3.NewArraySchema().WithItems(text().WithMaxLength(watchpost.MaxKeyword))
	}
	keyword := openapi3.NewObjectSchema().
		WithProperty("keyword", text().WithMaxLength(watchpost.MaxKeyword)).
		WithProperty("required_keywords", texts().WithMaxItems(watchpost.MaxConstraints)).
		WithProperty("exclude_keywords", texts().WithMaxItems(watchpost.MaxConstraints)).
		WithProperty("excluded_keywords", texts().WithMaxItems(watchpost.MaxConstraints)).
		WithProperty("include_all_required", openapi3.NewBoolSchema()).
		WithRequired([]string{"keyword"})
	keyword.Example = map[string]any{"keyword": "opentelemetry", "exclude_keywords": []any{"hiring"}}
	label := openapi3.NewObjectSchema().
		WithProperty("name", text().WithMaxLength(watchpost.MaxLabel)).
		WithProperty("key", text().WithMaxLength(watchpost.MaxLabel)).
		WithProperty("description", text()).
		WithProperty("default", openapi3.NewBoolSchema())
	label.Example = map[string]any{"name": "release", "description": "announces a new version"}
	either := func(object *openapi3.Schema, description string) *openapi3.Schema {
		schema := openapi3.NewOneOfSchema(text(), object)
		schema.Description = description
		return schema
	}
	shown := func(names ...string) *openapi3.Schema {
		schema := openapi3.NewSchema()
		schema.Description = "One watchlist when id was given, else all of them."
		for _, name := range names {
			schema.OneOf = append(schema.OneOf, openapi3.NewSchemaRef("#/components/schemas/"+name, generated[name].Value))
		}
		return schema
	}
	made := shown("createKeywordWatchlistRequest", "createByPrompt")
	made.Description = "The keywords, or a prompt that is interpreted."
	changed := shown("updateKeywordWatchlistRequest", "updateByPrompt")
	changed.Description = "The fields to change, or a prompt that replaces keywords and labels."
	changed.AnyOf, changed.OneOf = changed.OneOf, nil // unknown fields are ignored: a prompt looks like both
	return map[string]*openapi3.Schema{
		"newKeywordWatchlist": made, "changedKeywordWatchlist": changed,
		"keywordWatchlists": shown("keywordWatchlistDetail", "keywordWatchlistList"),
		"peopleWatchlists":  shown("peopleWatchlistDetail", "peopleWatchlistList"),
		"companyWatchlists": shown("companyWatchlistDetail", "companyWatchlistList"),
		"keywordEntry":      either(keyword, "A keyword, or a keyword with words that must or must not occur beside it."),
		"labelEntry":        either(label, "A label's name, or a label; key is another word for name."),
	}
}
