package sim

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// TestComponentsKeepTheirFields: the components of a team share its mailbox, and ask each
// other through methods. A field is used by the methods of its component only, and the
// comment of a component names the methods that the others call: so what it promises can
// be read in one place.
func TestComponentsKeepTheirFields(t *testing.T) {
	found, err := loadActors()
	require.NoError(t, err)
	at := slices.IndexFunc(found, func(p *packages.Package) bool { return p.PkgPath == "watchpost/actors" })
	p := found[at]
	components := componentsOf(p)
	require.Greater(t, len(components), 15)
	comments := commentsOf(p)
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(function, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				owner, isField := ownerOf(p.TypesInfo, s)
				name := s.Sel.Name
				switch at := p.Fset.Position(s.Pos()); {
				case !components[owner] || owner == receiverOf(function) || name == "team":
				case isField:
					t.Errorf("%s: %s uses the field %s of %s: make it a method of %s", at, nameOf(function), name, owner, owner)
				case !everyComponents.MatchString(name) && !slices.Contains(comments[owner], name):
					t.Errorf("%s: %s calls %s of %s, whose comment does not name it", at, nameOf(function), name, owner)
				}
				return true
			})
		}
	}
}

// componentsOf returns the names of the types of a team's components.
func componentsOf(p *packages.Package) map[string]bool {
	components := map[string]bool{}
	team := p.Types.Scope().Lookup("team").Type().Underlying().(*types.Struct)
	for i := range team.NumFields() {
		if pointer, ok := team.Field(i).Type().(*types.Pointer); ok {
			if named, ok := pointer.Elem().(*types.Named); ok && named.Obj().Pkg() == p.Types {
				components[named.Obj().Name()] = true
			}
		}
	}
	return components
}

// everyComponents are the methods that their team calls of many components.
var everyComponents = regexp.MustCompile(`^(load\w*|receive|stopTimer|on[A-Z]\w*)$`)

// commentsOf returns the words of the comment of each type.
func commentsOf(p *packages.Package) map[string][]string {
	words := map[string][]string{}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			types, ok := d.(*ast.GenDecl)
			if !ok || types.Tok != token.TYPE || len(types.Specs) != 1 {
				continue
			}
			words[types.Specs[0].(*ast.TypeSpec).Name.Name] = regexp.MustCompile(`\w+`).FindAllString(types.Doc.Text(), -1)
		}
	}
	return words
}

// ownerOf returns the type whose field or method a selector names; "" for another selector,
// or what an embedded type has.
func ownerOf(info *types.Info, s *ast.SelectorExpr) (owner string, isField bool) {
	selection := info.Selections[s]
	if selection == nil || len(selection.Index()) > 1 {
		return "", false
	}
	t := selection.Recv()
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name(), selection.Kind() == types.FieldVal
	}
	return "", false
}
