package httpapi_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// sources are patterns of the packages whose errors a caller may see.
var sources = []string{"api", "admin", "gateway", "edge", "endpoint", "../watchpost", "../watchpost/*", "../actors", "../actors/*"}

// undocumented are the texts that no operation of the document sends.
var undocumented = map[string]string{
	"The decision has taken effect": "only the dashboard takes decisions back",
	"This cannot be taken back any more: you have decided about other posts since.": "of the dashboard's page",
	"Signed out":              "the dashboard then leads to its sign-in",
	watchpost.TextInvitations: "of the dashboard's page",
	watchpost.TextLastAdmin:   "of the dashboard's page",
	watchpost.TextLastMember:  "of the dashboard's page",
	watchpost.TextNotFresh:    "of the dashboard's page",

	"Invalid 'voice': at most %d characters":               "of the dashboard's page",
	"Enter a name of at most %d characters.":               "of the dashboard's page",
	"Choose a filter first.":                               "of the dashboard's page",
	"The deletion was taken back, or has begun":            "only the dashboard takes deletions back",
	"This view was deleted.":                               "of the dashboard's page",
	"A team has at most %d saved views. Delete one first.": "of the dashboard's page",
	"A note has at most %d characters.":                    "of the dashboard's page", "Invalid state of a post": "of the dashboard's page",
	"A team has at most %d assignments and notes. Take some away first.":   "of the dashboard's page",
	"You have marked %d posts like this. Mark some of them as done first.": "of the dashboard's page",
	"Passkey not found":                                "of the dashboard's page",
	"This passkey is known already.":                   "of the dashboard's page",
	"This passkey was not accepted.":                   "of the dashboard's page",
	"This service has no passkeys.":                    "of the dashboard's page",
	"You have %d passkeys. Remove one to add another.": "of the dashboard's page",

	"Team already exists":              "ids are made by the service",
	"Invalid 'plan'":                   "replaced by the handler's text",
	"Invalid 'role'":                   "replaced by the handler's text",
	"want one of %s":                   "replaced by the parameter's own text",
	"want an id":                       "replaced by the parameter's own text",
	"Invalid 'fields'":                 "replaced by the text with the allowed values",
	"Invalid 'post_type'":              "replaced by the text with the allowed values",
	"Invalid 'seniority_level'":        "replaced by the text with the allowed values",
	"Unknown or revoked session token": "the socket is closed with a code",
	"Invalid 'after'":                  "a cursor of the dashboard's journal",
	"Not found":                        "of unknown paths; in the document's description",
}

// documents are the calls whose texts are documentation.
var documents = []string{"WithError", "WithBody", "withError", "withBody"}

// program is the source code of the service, as far as it names error texts.
type program struct {
	constants map[string]string // by package and name
	used      map[string]bool   // texts outside the documentation
	errors    map[string]bool   // texts of errors
}

// readProgram parses the sources.
func readProgram(t *testing.T, sources []string) *program {
	t.Helper()
	p := &program{constants: map[string]string{}, used: map[string]bool{}, errors: map[string]bool{}}
	var files []*ast.File
	for _, dir := range sources {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			code, err := os.ReadFile(name)
			require.NoError(t, err)
			file, err := parser.ParseFile(token.NewFileSet(), name, code, 0)
			require.NoError(t, err)
			files = append(files, file)
			p.addConstants(file)
		}
	}
	for _, file := range files {
		p.addUses(file)
	}
	return p
}

// addConstants adds the named texts of a file.
func (p *program) addConstants(file *ast.File) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			for i, value := range v.Values {
				if text, ok := p.text(file, value); ok {
					p.constants[file.Name.Name+"."+v.Names[i].Name] = text
				}
			}
		}
	}
}

// addUses adds the texts that a file uses for anything but documentation.
func (p *program) addUses(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			name := calledName(call)
			if slices.Contains(documents, name) {
				return false
			}
			if (name == "Errorf" || name == "WrapError") && len(call.Args) > 1 {
				if text, ok := p.text(file, call.Args[1]); ok {
					p.errors[text] = true
				}
			}
		}
		if f, ok := n.(*ast.Field); ok && f.Tag != nil {
			for _, found := range tagValue.FindAllStringSubmatch(f.Tag.Value, -1) {
				p.used[found[1]] = true
			}
		}
		if e, ok := n.(ast.Expr); ok {
			if text, ok := p.text(file, e); ok {
				p.used[text] = true
			}
		}
		return true
	})
}

// text returns the value of a constant text.
func (p *program) text(file *ast.File, e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.Ident:
		text, ok := p.constants[file.Name.Name+"."+e.Name]
		return text, ok
	case *ast.SelectorExpr:
		text, ok := p.constants[fmt.Sprint(e.X)+"."+e.Sel.Name]
		return text, ok
	case *ast.BinaryExpr:
		left, ok := p.text(file, e.X)
		right, also := p.text(file, e.Y)
		return left + right, ok && also
	}
	return "", false
}

// tagValue finds the values of a field's tag; one may be an error text.
var tagValue = regexp.MustCompile(`"([^"]*)"`)

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

var verb = regexp.MustCompile(`%[sdq]|<id>`)

// matching makes a pattern of a format.
func matching(format string) *regexp.Regexp {
	parts := verb.Split(format, -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, "[^']+") + "$")
}

// documentedTexts returns the error texts of the document with the names of the
// operations that document them.
func documentedTexts(d *openapi3.T) map[string][]string {
	texts := map[string][]string{}
	for path, item := range d.Paths.Map() {
		for method, o := range item.Operations() {
			for code, response := range o.Responses.Map() {
				if code < "400" {
					continue
				}
				for _, example := range response.Value.Content.Get("application/json").Examples {
					text := example.Value.Value.(map[string]any)["error"].(string)
					texts[text] = append(texts[text], method+" "+path)
				}
			}
		}
	}
	return texts
}

// TestDocumentedTextsAreSent: the document has no error text that the code does
// not have for another purpose, and every error text of the code is in it.
func TestDocumentedTextsAreSent(t *testing.T) {
	t.Parallel()
	p := readProgram(t, sources)
	d := document(t)
	documented := documentedTexts(d)
	require.Greater(t, len(documented), 100)
	var patterns []*regexp.Regexp
	for text := range p.used {
		if len(verb.ReplaceAllString(text, "")) >= len("Invalid ''") && strings.Contains(text, "%") {
			patterns = append(patterns, matching(text))
		}
	}
	for text, where := range documented {
		sent := p.used[text] || slices.ContainsFunc(patterns, func(r *regexp.Regexp) bool { return r.MatchString(text) })
		if !sent {
			t.Errorf("%q of %v is not sent", text, where)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(p.errors)) {
		if undocumented[text] != "" || text == "%s" {
			continue
		}
		r := matching(text)
		if !slices.ContainsFunc(slices.Collect(maps.Keys(documented)), r.MatchString) {
			t.Errorf("%q is sent and not documented", text)
		}
	}
	for text := range undocumented {
		require.True(t, p.errors[text] || p.used[text], "%q is not sent", text)
	}
}

var named = regexp.MustCompile(`^(?:(?:Missing or invalid|Invalid) '|Missing required parameter: )([a-z_]+)\b`)

// TestDocumentedFieldsExist: a text that names a field is documented with
// operations that take it.
func TestDocumentedFieldsExist(t *testing.T) {
	t.Parallel()
	d := document(t)
	for text, operations := range documentedTexts(d) {
		found := named.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		for _, name := range operations {
			method, path, _ := strings.Cut(name, " ")
			require.Contains(t, fieldsOf(d.Paths.Value(path).GetOperation(method)), found[1], "%s documents %q", name, text)
		}
	}
}

// fieldsOf returns the names of an operation's parameters and of the fields of
// its body.
func fieldsOf(o *openapi3.Operation) (names []string) {
	for _, p := range o.Parameters {
		names = append(names, p.Value.Name)
	}
	if o.RequestBody == nil {
		return names
	}
	var add func(s *openapi3.SchemaRef, depth int)
	add = func(s *openapi3.SchemaRef, depth int) {
		if s == nil || depth > 4 {
			return
		}
		for name, field := range s.Value.Properties {
			names = append(names, name)
			add(field, depth+1)
		}
		add(s.Value.Items, depth+1)
		for _, of := range slices.Concat(s.Value.OneOf, s.Value.AnyOf, s.Value.AllOf) {
			add(of, depth+1)
		}
	}
	add(o.RequestBody.Value.Content.Get("application/json").Schema, 0)
	return names
}
