package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/text"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		content  string
		keywords []string
		want     []string
	}{
		{"We are Hiring, hiring!", []string{"hiring"}, []string{"Hiring", "hiring"}},
		{"start art", []string{"art"}, []string{"art"}},
		{"Ein Café, zwei  CAFE\u0301S, drei café", []string{"cafe"}, []string{"Café", "café"}},
		{"new \n\t job now", []string{"new job"}, []string{"new \n\t job"}},
		{"Straße und STRASSE", []string{"strasse"}, []string{"Straße", "STRASSE"}},
		{"用AI做", []string{"ai"}, []string{"AI"}},
		{"battery storage", []string{"battery", "battery storage"}, []string{"battery storage"}},
		{"nothing here", []string{"hiring", ""}, nil},
		{"", []string{"hiring"}, nil},
		{"e\u0301t\u00e9 \xff", []string{"ete"}, []string{"e\u0301t\u00e9"}},
	} {
		var found []string
		for _, s := range text.Find(c.content, c.keywords) {
			found = append(found, c.content[s.From:s.To])
		}
		require.Equal(t, c.want, found, "%q", c.content)
	}
}

// FuzzFind finds a keyword exactly where a Matcher does, in whole characters.
func FuzzFind(f *testing.F) {
	f.Add("We are Hiring", "hiring")
	f.Add("zwei  CAFE\u0301S", "cafes")
	f.Add("Straße", "strasse")
	f.Add("\x89\u0613", "\xfb\xee ") // a byte that is no character, with a mark
	f.Fuzz(func(t *testing.T, content, keyword string) {
		end := 0
		for _, s := range text.Find(content, []string{keyword}) {
			require.True(t, end <= s.From && s.From < s.To && s.To <= len(content))
			end = s.To
		}
		if end > 0 {
			require.True(t, text.Compile(text.Rule{Keyword: keyword}).Match(text.New(content)))
		}
	})
}
