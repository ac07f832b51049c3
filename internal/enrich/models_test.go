package enrich_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/enrich"
	"watchpost/watchpost"
)

// TestModelFiles: the models match models.sha256, and are small.
func TestModelFiles(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("models.sha256")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")
	require.Len(t, lines, 2)
	for _, line := range lines {
		sum, file, _ := strings.Cut(line, "  ")
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, sum, fmt.Sprintf("%x", sha256.Sum256(content)), "%s is not the model that was measured", file)
		require.Less(t, len(content), 5<<18, file)
	}
}

var update = flag.Bool("update", false, "write testdata/golden.jsonl anew")

// golden is a line of testdata/golden.jsonl: a post written for this test, and
// its derived fields.
type golden struct {
	Text       string   `json:"text"`
	Headline   string   `json:"headline,omitempty"`
	Likes      int64    `json:"likes,omitempty"`
	Keyword    string   `json:"keyword,omitempty"`
	Language   string   `json:"language"`
	Sentiment  string   `json:"sentiment"`
	Seniority  string   `json:"seniority"`
	Tags       []string `json:"tags"`
	Relevance  float64  `json:"relevance"`
	Influence  int      `json:"influence"`
	Enrichment int      `json:"enrichment"`
}

// TestGolden detects unintended changes of results, on every machine. After an
// intended change increase Version and run -update, which writes the file.
func TestGolden(t *testing.T) {
	t.Parallel()
	const file = "testdata/golden.jsonl"
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var out bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(content))
	n := 0
	for lines.Scan() {
		var g golden
		require.NoError(t, json.Unmarshal(lines.Bytes(), &g))
		p := watchpost.Post{Content: g.Text, AuthorHeadline: g.Headline, Likes: g.Likes}
		enrich.Post(&p, enrich.Context{Keyword: g.Keyword, Labels: goldenLabels, Objective: "find companies that hire developers", Entries: 2})
		now := golden{
			g.Text, g.Headline, g.Likes, g.Keyword,
			p.Language, p.Sentiment, p.Seniority, names(p.Tags), p.Relevance, p.Influence, p.Enrichment,
		}
		line, err := json.Marshal(now)
		require.NoError(t, err)
		out.Write(append(line, '\n'))
		n++
	}
	require.Greater(t, n, 50)
	if *update {
		require.NoError(t, os.WriteFile(file, out.Bytes(), 0o600))
		return
	}
	require.Equal(t, string(content), out.String())
}

var goldenLabels = []watchpost.Label{
	{Name: "Hiring", Description: "open positions, new job, we are hiring"},
	{Name: "Product", Description: "launch, release, feature"},
	{Name: "Other", Default: true},
}
