package specs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

var (
	// citation names a section of a page of this folder.
	citation = regexp.MustCompile(`\b([a-z-]+\.md)#([\p{L}0-9_-]+)`)
	// link is a link of a page to a section, its own or another page's.
	link = regexp.MustCompile(`\]\(([^()\s#]*)#([^()\s]+)\)`)
	// elsewhere cites a document that is not in the repository, or a section by a number
	// that changes.
	elsewhere = regexp.MustCompile(`\b(?:decisions \d|specification: |session protocol[:,] (?i:rules|head|signing|additions|messages|error|task types|revoked)|session-protocol\b|service\.md\b|Limits \d\b|Errors \d{3}\b)`)
	// lineOfComment joins the lines of a comment, whose citations may be broken.
	lineOfComment = regexp.MustCompile(`\n[ \t]*(?://|#|\*)?[ \t]*`)
)

// TestCitations follows every citation of a section in code, scripts and pages: it leads
// to a heading of a page of the repository, and no document from elsewhere is cited. Each
// script cites the section that it proves.
func TestCitations(t *testing.T) {
	pages := map[string]map[string]bool{}
	cited := 0
	check := func(file, page, section string) {
		if pages[page] == nil {
			pages[page] = anchors(t, page)
		}
		if cited++; !pages[page][section] {
			t.Errorf("%s cites %s#%s, which is no heading", file, page, section)
		}
	}
	for file, text := range sources(t) {
		text = lineOfComment.ReplaceAllString(text, " ")
		for _, found := range elsewhere.FindAllString(text, -1) {
			t.Errorf("%s cites %q, which is not in the repository", file, found)
		}
		if path.Ext(file) == ".md" {
			for _, m := range link.FindAllStringSubmatch(text, -1) {
				if !strings.Contains(m[1], "://") {
					check(file, target(file, m[1]), m[2])
				}
			}
			continue
		}
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			check(file, m[1], m[2])
		}
	}
	for name, script := range scripts(t) {
		if head, _, _ := strings.Cut(script, "\n\n"); !citation.MatchString(head) && !strings.Contains(strings.Join(strings.Fields(head), " "), "record") {
			t.Errorf("%s cites no section and no decision record", name)
		}
	}
	require.NotZero(t, cited)
}

// target returns the page that a link of a file leads to, relative to this folder.
func target(file, to string) string {
	if to == "" {
		to = path.Base(file)
	}
	relative, err := filepath.Rel("specs", filepath.FromSlash(path.Join(path.Dir(file), to)))
	if err != nil {
		return to
	}
	return filepath.ToSlash(relative)
}

// sources returns the code, scripts and pages of the repository by their path. Decision
// records and the list of changes tell of their time.
func sources(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	root := os.DirFS("..")
	require.NoError(t, fs.WalkDir(root, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "node_modules", "testdata", "bin", "dist", "decisions", "vendor"}, entry.Name()):
			return fs.SkipDir
		case entry.IsDir(), file == "CHANGELOG.md", file == "specs/citations_test.go":
			return nil
		case slices.Contains([]string{".go", ".ts", ".mjs", ".txtar", ".md"}, path.Ext(file)):
			content, err := fs.ReadFile(root, file)
			all[file] = string(content)
			return err
		}
		return nil
	}))
	return all
}

// anchors returns the anchors of the headings of a page of this folder.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	content, err := os.ReadFile(filepath.FromSlash(page))
	require.NoError(t, err)
	all, fenced := map[string]bool{}, false
	for line := range strings.SplitSeq(string(content), "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if title := strings.TrimLeft(line, "#"); !fenced && title != line && strings.HasPrefix(title, " ") {
			all[anchor(title)] = true
		}
	}
	return all
}

// anchor returns the anchor that GitHub gives a heading.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}

var (
	quoted = regexp.MustCompile("`[^`]+`")
	// extensionTest is a test of the extension as a proof.
	extensionTest = regexp.MustCompile("^`(extension/test/[a-z_]+\\.test\\.ts): (.+)`$")
)

// TestWhatSurvives checks what-survives.md: for each moment in the life of a like it says
// what the end of each part does, and each line names tests that exist.
func TestWhatSurvives(t *testing.T) {
	content, err := os.ReadFile("what-survives.md")
	require.NoError(t, err)
	table := newClauseTable(t, "what-survives.md")
	parts := map[string][]string{}
	for n, line := range strings.Split(string(content), "\n") {
		if title, found := strings.CutPrefix(line, "## "); found {
			table.heading = title
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
		if !strings.HasPrefix(line, "| ") || table.heading < "1" || table.heading > "9" || cells[0] == "what ends" {
			continue
		}
		require.Len(t, cells, 3, "what-survives.md:%d", n+1)
		parts[table.heading] = append(parts[table.heading], cells[0])
		proofs := quoted.FindAllString(cells[2], -1)
		require.NotEmpty(t, proofs, "what-survives.md:%d", n+1)
		for _, named := range proofs {
			if m := extensionTest.FindStringSubmatch(named); m != nil {
				file, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(m[1])))
				require.NoError(t, err)
				require.Contains(t, string(file), "it('"+m[2]+"'", "what-survives.md:%d", n+1)
				continue
			}
			table.exists(n+1, named)
		}
	}
	require.Len(t, parts, 7)
	for moment, ended := range parts {
		require.Equal(t, []string{"service", "browser", "machine", "database"}, ended, moment)
	}
}

var (
	recordNumber = regexp.MustCompile(`\[(\d{3})\]\(`)
	changesThose = regexp.MustCompile(`\b(?:Supersedes|Changes|Replaces|Amends) [^.]*?(?:\]\([^)]*\)[^.\]]*)+`)
)

// TestRecordsPointForward: a record that a later one supersedes or changes says so in its
// status, and so does its line in the list of records.
func TestRecordsPointForward(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("decisions", "[0-9]*.md"))
	require.NoError(t, err)
	status := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		lines := strings.Split(string(content), "\n")
		require.Greater(t, len(lines), 3, file)
		status[filepath.Base(file)[:3]] = lines[2]
	}
	list, err := os.ReadFile(filepath.Join("decisions", "README.md"))
	require.NoError(t, err)
	changed := 0
	for number, line := range status {
		for _, those := range changesThose.FindAllString(line, -1) {
			for _, earlier := range recordNumber.FindAllStringSubmatch(those, -1) {
				changed++
				if !strings.Contains(status[earlier[1]], "["+number+"]") {
					t.Errorf("record %s changes %s, whose status does not say so: %s", number, earlier[1], status[earlier[1]])
				}
				row := regexp.MustCompile(`(?m)^\| \[` + earlier[1] + `\].*\|(.*)\|$`).FindStringSubmatch(string(list))
				if row == nil || !strings.Contains(row[1], number) {
					t.Errorf("the list of records does not say that %s changes %s", number, earlier[1])
				}
			}
		}
	}
	require.NotZero(t, changed)
}
