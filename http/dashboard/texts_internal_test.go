package dashboard

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"watchpost/internal/words"
)

// textUse is a text that a template or the code asks for, with the names of its arguments;
// open means that they are not known here.
type textUse struct {
	at, id    string
	arguments []string
	open      bool
}

var (
	textCall     = regexp.MustCompile(`[{(]t "([^"]+)"([^{}]*)`)
	textArgument = regexp.MustCompile(`"([a-z][a-z0-9_]*)" [$.(\w"]`)
	pluralCall   = regexp.MustCompile(`plural [^\s]+ "([^"]+)"`)
	// anyID is a string of the code that may be the id of a text.
	fileName = regexp.MustCompile(`\.(?:html|css|js|svg|csv)$|^alert\.(?:of|minimum)$|^posts\.(?:new|alert)$`) // and fields of forms, and kinds of messages
	anyID    = regexp.MustCompile(`^[a-z]+\.[a-z0-9_]+$`)
)

// templateTexts returns the texts that the templates ask for.
func templateTexts(t *testing.T) (uses []textUse) {
	t.Helper()
	files, err := filepath.Glob("templates/*.html")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		source, err := os.ReadFile(file)
		assert.NoError(t, err)
		for _, call := range textCall.FindAllStringSubmatch(string(source), -1) {
			use := textUse{at: file, id: call[1]}
			for _, argument := range textArgument.FindAllStringSubmatch(call[2], -1) {
				use.arguments = append(use.arguments, argument[1])
			}
			uses = append(uses, use)
		}
		for _, call := range pluralCall.FindAllStringSubmatch(string(source), -1) {
			uses = append(uses, countUse(file, call[1]))
		}
	}
	return uses
}

func countUse(at, noun string) textUse {
	return textUse{at: at, id: "count." + strings.ReplaceAll(noun, " ", "_"), arguments: []string{"n"}}
}

// withTexts are the packages whose code asks for texts: pages, mails and notifications.
var withTexts = []string{".", "../../internal/mail/outgoing", "../../internal/notify"}

// sourcesIn returns the files of a package but its tests.
func sourcesIn(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files, folder)
	return slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

// codeTexts returns the texts that the code asks for, and its strings.
func codeTexts(t *testing.T) (uses []textUse, all []string) {
	t.Helper()
	var files []string
	for _, folder := range withTexts {
		files = append(files, sourcesIn(t, folder)...)
	}
	for _, file := range files {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		assert.NoError(t, err)
		called := map[ast.Expr]bool{}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.CallExpr:
				if use, ok := useOf(file, n); ok {
					uses, called[n.Args[0]] = append(uses, use), true
				}
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if n.Kind != token.STRING || err != nil {
					return true
				}
				all = append(all, text)
				if anyID.MatchString(text) && !called[n] && !fileName.MatchString(text) {
					uses = append(uses, textUse{at: set.Position(n.Pos()).String(), id: text, open: true})
				}
			}
			return true
		})
	}
	return uses, all
}

// useOf returns the text that a call asks for.
func useOf(file string, call *ast.CallExpr) (textUse, bool) {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	if name == "plural" && len(call.Args) == 3 {
		if noun, ok := textOf(call.Args[2]); ok {
			use := countUse(file, noun)
			return use, true
		}
	}
	if name != "Text" || len(call.Args) == 0 {
		return textUse{}, false
	}
	id, ok := textOf(call.Args[0])
	if !ok || !anyID.MatchString(id) {
		return textUse{}, false
	}
	use := textUse{at: file, id: id, open: call.Ellipsis.IsValid()}
	for i := 1; i < len(call.Args); i += 2 {
		if argument, ok := textOf(call.Args[i]); ok {
			use.arguments = append(use.arguments, argument)
		}
	}
	return use, true
}

func textOf(e ast.Expr) (string, bool) {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// inBraces are words in braces that are no arguments: variables of comments.
var inBraces = []string{"first_name", "label", "keyword"}

// TestTexts: the catalogue has each text that a template or the code asks for, with the
// arguments that are given, and no other text.
func TestTexts(t *testing.T) {
	t.Parallel()
	inCode, all := codeTexts(t)
	used := map[string]bool{}
	for _, use := range append(templateTexts(t), inCode...) {
		used[use.id] = true
		wanted, ok := words.English().Arguments(use.id)
		assert.True(t, ok, "%s: the catalogue has no text %s", use.at, use.id)
		for _, name := range wanted {
			if !use.open && !slices.Contains(inBraces, name) {
				assert.Contains(t, use.arguments, name, "%s: %s needs an argument", use.at, use.id)
			}
		}
		for _, name := range use.arguments {
			if !use.open && name != "n" {
				assert.Contains(t, wanted, name, "%s: %s does not use the argument", use.at, use.id)
			}
		}
	}
	for _, id := range words.English().IDs() {
		if !strings.HasPrefix(id, "known.") && !strings.HasPrefix(id, "language.") {
			assert.True(t, used[id], "nothing uses the text %s", id)
		}
		if english := words.English().Text(id); strings.Contains(english, " ") && id != "audit.signed_out" && !strings.HasPrefix(id, "known.") && !strings.HasPrefix(id, "list.") && !strings.HasPrefix(id, "date.") {
			assert.NotContains(t, all, english, "the code has the text %s itself", id)
		}
	}
}

// TestKnownTexts: other parts of the service still write the texts that the catalogue knows
// of them, except that a text may begin with another case.
func TestKnownTexts(t *testing.T) {
	t.Parallel()
	var sources strings.Builder
	joined := regexp.MustCompile(`" \+\s*"`) // a text on several lines
	for _, folder := range []string{".", "../../watchpost", "../../watchpost/trend", "../../actors", "../../actors/reads", "../../actors/rules", "../../actors/access", "../../actors/triage", "../../actors/notifications", "../../actors/signin", "../../internal/notify", "../../internal/outbound", "../../internal/langcode", "../../internal/passkey"} {
		files, err := filepath.Glob(folder + "/*.go")
		assert.NoError(t, err)
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			if !strings.HasSuffix(file, "_test.go") {
				sources.WriteString(strings.ToLower(joined.ReplaceAllString(string(source), "")))
			}
		}
	}
	argument := regexp.MustCompile(`\{[a-z]+\}`)
	for _, id := range words.English().IDs() {
		if !strings.HasPrefix(id, "known.") {
			continue
		}
		text := words.English().Text(id)
		if strings.HasPrefix(id, "known.count_") { // the service makes the plural of the noun
			text = strings.TrimPrefix(words.English().Text(id, "n", 1), "1 ")
		}
		for _, part := range argument.Split(text, -1) {
			assert.Contains(t, sources.String(), strings.ToLower(part), id)
		}
	}
}

var (
	action    = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	element   = regexp.MustCompile(`(?s)<(?:[^<>"']|"[^"]*"|'[^']*')*>`)
	key       = regexp.MustCompile(`<kbd[^>]*>[^<]*</kbd>`)
	entity    = regexp.MustCompile(`&\w+;`)
	attribute = regexp.MustCompile(`\b(?:title|placeholder|aria-label|alt|data-drafting|data-head|data-copied)="([^"]*)"`)
	letter    = regexp.MustCompile(`\p{L}+`)
)

// notTexts are words of templates that are the same in every language: names, units, codes.
var notTexts = []string{"Watchpost", "UTC", "CSV", "en", "de"}

// TestNoTextInTemplates: all words of a page come from the catalogue.
func TestNoTextInTemplates(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("templates/*.html")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		assert.NoError(t, err)
		text := regexp.MustCompile(`(?s)\{\{-? ?define "(?:deed-swap|passkey-texts)"\}\}.*?\{\{end\}\}|<pre.*?</pre>|<code class="secret"[^>]*>wp_[^<]*</code>|<meta name="htmx-config"[^>]*>`).ReplaceAllString(string(source), "")
		text = key.ReplaceAllString(action.ReplaceAllString(text, ""), "")
		for _, value := range attribute.FindAllStringSubmatch(text, -1) {
			requireNoWords(t, file, value[1])
		}
		requireNoWords(t, file, entity.ReplaceAllString(element.ReplaceAllString(text, " "), ""))
	}
}

func requireNoWords(t *testing.T, file, text string) {
	t.Helper()
	for _, word := range letter.FindAllString(text, -1) {
		assert.Contains(t, notTexts, word, "%s: put this text into the catalogue", file)
	}
}

// TestNoTextInMails: all words of mails and notifications come from the catalogue, and no
// other package writes a mail.
func TestNoTextInMails(t *testing.T) {
	t.Parallel()
	sentence := regexp.MustCompile(`\p{L}[,:]? \p{L}|^ ?\p{L}+:? $`)
	known := map[string]bool{}
	for _, id := range words.English().IDs() {
		if text, ok := strings.CutSuffix(words.English().Text(id), "{status}"); ok || strings.HasPrefix(id, "known.") {
			known[text] = true
		}
	}
	literals := func(file string, each func(literal string)) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if _, imports := n.(*ast.ImportSpec); imports {
				return false
			}
			if text, ok := n.(ast.Expr); ok {
				if text, ok := textOf(text); ok {
					each(text)
				}
			}
			return true
		})
	}
	for _, folder := range withTexts[1:] {
		for _, file := range sourcesIn(t, folder) {
			literals(file, func(literal string) {
				if sentence.MatchString(literal) {
					assert.True(t, known[literal], "%s: put %q into the catalogue", file, literal)
				}
			})
		}
	}
	literals("../../internal/mail/outgoing/mails.go", func(literal string) {
		assert.Regexp(t, `^([a-z]+(\.[a-z_]+)?|/app/sign-in|\n*)$`, literal, "put it into the catalogue")
	})
	require.NoError(t, filepath.WalkDir("../..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git") {
			return cmp.Or(err, filepath.SkipDir)
		}
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(file)
		assert.NotRegexp(t, `outgoing\.Mail\{[^}]`, string(source), "%s writes a mail", file)
		return err
	}))
}

// TestStylesFollowTheScript: styles say start and end, so that pages are mirrored for scripts
// from the right.
func TestStylesFollowTheScript(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("assets/app.css")
	require.NoError(t, err)
	for _, found := range regexp.MustCompile(`(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)|[{;] (?:left|right):`).FindAllString(string(source), -1) {
		assert.Fail(t, "a side of the screen", "app.css has %q", found)
	}
}
