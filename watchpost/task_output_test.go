package watchpost_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// emptyOutputs is the clean output of {}, by task type.
var emptyOutputs = map[watchpost.TaskType]string{
	watchpost.TaskProfileFetch: `{"name":"","headline":"","location":"","profile_url":"","connections":0,"followers":0,"about":"",
		"experience":[],"education":[],"skills":[],"profile_urn":"","profile_slug":"",
		"profile":{"profile_urn":"","profile_slug":"","full_name":"","headline":"","location":"","positions":[]}}`,
	watchpost.TaskCompanyFetch: `{"name":"","slug":"","company_urn":"","industry":"","description":"","employee_count":0,"headquarters":"",
		"website":"","followers":0,"logo_url":"","specialties":[]}`,
	watchpost.TaskProfilesPosts:     `{"posts":[]}`,
	watchpost.TaskCompanyPosts:      `{"posts":[]}`,
	watchpost.TaskProfilesSearch:    `{"profiles":[],"total":0}`,
	watchpost.TaskConnectionsFetch:  `{"connections":[],"total":0}`,
	watchpost.TaskLikePost:          `{"liked":true}`,
	watchpost.TaskCommentPost:       `{"commented":true,"comment_urn":""}`,
	watchpost.TaskSendMessage:       `{"sent":true}`,
	watchpost.TaskConnectionRequest: `{"sent":true}`,
}

func TestCleanOutputShapes(t *testing.T) {
	t.Parallel()
	require.Len(t, emptyOutputs, 10)
	for kind, shape := range emptyOutputs {
		for _, sent := range []string{`{}`, ` {"unknown": {"x": 1}} `, shape, strings.ReplaceAll(shape, "[]", "null")} {
			got, err := watchpost.CleanOutput(kind, json.RawMessage(sent), nil)
			require.NoError(t, err, "%s %s", kind, sent)
			require.JSONEq(t, shape, string(got), "%s %s", kind, sent)
		}
		for _, bad := range []string{``, ` `, `null`, `[]`, `"x"`, `7`, `{`, `{"name":7,"slug":7,"posts":7,"profiles":7,"connections":"7","liked":7,"commented":7,"sent":7}`} {
			_, err := watchpost.CleanOutput(kind, json.RawMessage(bad), nil)
			require.Error(t, err, "%s %q", kind, bad)
		}
	}
	for _, kind := range []watchpost.TaskType{watchpost.TaskKeywordScan, "unknown"} {
		_, err := watchpost.CleanOutput(kind, json.RawMessage(`{}`), nil)
		require.Error(t, err)
	}
}

func TestCleanOutputKeepsWhatWasSent(t *testing.T) {
	t.Parallel()
	got, err := watchpost.CleanOutput(watchpost.TaskProfileFetch, json.RawMessage(`{"name":"Zoë 👩‍🚀","connections":500,"skills":["a",{"b":[1]},null,"c"],
		"experience":[{"title":"CTO","company_name":"Acme","company_slug":"acme","start_year":2020,"extra":1},"CEO"],
		"education":[{"school":"MIT","end_year":2001},{"school":7}],
		"profile":{"positions":[{"title":"CTO","start_year":2020,"is_current":true}]}}`), nil)
	require.NoError(t, err)
	var out struct {
		Name        string
		Connections int
		Skills      []string
		Experience  []map[string]any
		Education   []map[string]any
		Profile     struct{ Positions []map[string]any }
	}
	require.NoError(t, json.Unmarshal(got, &out))
	require.Equal(t, "Zoë 👩‍🚀", out.Name)
	require.Equal(t, 500, out.Connections)
	require.Equal(t, []string{"a", "c"}, out.Skills, "elements of another shape are left out")
	require.Equal(t, []map[string]any{{"title": "CTO", "company_name": "Acme", "company_slug": "acme", "location": "", "start_year": 2020.0, "start_month": 0.0,
		"end_year": 0.0, "end_month": 0.0, "is_current": false}}, out.Experience)
	require.Equal(t, []map[string]any{{"school": "MIT", "degree": "", "field": "", "start_year": 0.0, "end_year": 2001.0}}, out.Education)
	require.Equal(t, map[string]any{"title": "CTO", "company_name": "", "location": "", "start_year": 2020.0, "start_month": 0.0,
		"end_year": 0.0, "end_month": 0.0, "is_current": true}, out.Profile.Positions[0])
	posts := `{"posts":[{"urn":"1","content":"x"},{"urn":"2"}]}`
	got, err = watchpost.CleanOutput(watchpost.TaskCompanyPosts, json.RawMessage(posts), nil)
	require.NoError(t, err)
	require.JSONEq(t, posts, string(got))
}

func TestCleanOutputIsBounded(t *testing.T) {
	t.Parallel()
	fits := `{"about":"` + strings.Repeat("x", watchpost.MaxOutput-1024) + `"}`
	_, err := watchpost.CleanOutput(watchpost.TaskProfileFetch, json.RawMessage(fits), nil)
	require.NoError(t, err)
	for _, large := range []string{
		`{"about":"` + strings.Repeat("x", watchpost.MaxOutput) + `"}`,
		`{"about":"` + strings.Repeat("<", watchpost.MaxOutput/2) + `"}`, // six times as large when escaped
	} {
		_, err := watchpost.CleanOutput(watchpost.TaskProfileFetch, json.RawMessage(large), nil)
		require.Error(t, err)
	}
}

// FuzzCleanOutput: each output is either refused or becomes an object of its
// type's shape within the size limit. Cleaning it again changes nothing.
func FuzzCleanOutput(f *testing.F) {
	for i, kind := range allTypes {
		f.Add(uint8(i), []byte(emptyOutputs[kind]))
	}
	f.Add(uint8(0), []byte(`{"skills":[{"a":1e999}],"name":"\ud800"}`))
	f.Fuzz(func(t *testing.T, kind uint8, sent []byte) {
		k := allTypes[int(kind)%len(allTypes)]
		got, err := watchpost.CleanOutput(k, sent, nil)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(got), watchpost.MaxOutput)
		var shape, out map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(emptyOutputs[k]), &shape))
		require.NoError(t, json.Unmarshal(got, &out))
		for field := range shape {
			require.Contains(t, out, field)
			require.NotEqual(t, "null", string(out[field]))
		}
		require.Len(t, out, len(shape))
		again, err := watchpost.CleanOutput(k, got, nil)
		require.NoError(t, err)
		require.Equal(t, string(got), string(again))
	})
}

// TestProfileURLs: rows of a search and of connections have profile addresses
// on the network, and only with the schemes http and https.
func TestProfileURLs(t *testing.T) {
	t.Parallel()
	network, err := url.Parse("https://network.example")
	require.NoError(t, err)
	for kind, list := range map[watchpost.TaskType]string{watchpost.TaskProfilesSearch: "profiles", watchpost.TaskConnectionsFetch: "connections"} {
		for sent, want := range map[string]string{
			`{"profile_slug":"jane-doe"}`:                                       "https://network.example/in/jane-doe",
			`{"profile_slug":"jörg ü"}`:                                         "https://network.example/in/j%C3%B6rg%20%C3%BC",
			`{"profile_slug":"a","profile_url":"https://network.example/in/b"}`: "https://network.example/in/b",
			`{"profile_slug":"a","profile_url":"/in/b"}`:                        "https://network.example/in/b",
			`{"profile_slug":"a","profile_url":"javascript:alert(1)"}`:          "",
			`{}`: "",
		} {
			got, err := watchpost.CleanOutput(kind, json.RawMessage(`{"`+list+`":[`+sent+`]}`), network)
			require.NoError(t, err)
			require.Contains(t, string(got), `"profile_url":"`+want+`"`, sent)
		}
		got, err := watchpost.CleanOutput(kind, json.RawMessage(`{"`+list+`":[{"profile_slug":"a"}]}`), nil)
		require.NoError(t, err)
		require.Contains(t, string(got), `"profile_url":""`)
	}
}
