package sim

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// TestComponentsKeepTheirFields: the components of a team share its mailbox, and ask each
// other through methods. A field is used by the methods of its component only, so that
// what a component promises of it can be read in one place.
func TestComponentsKeepTheirFields(t *testing.T) {
	found, err := loadActors()
	require.NoError(t, err)
	at := slices.IndexFunc(found, func(p *packages.Package) bool { return p.PkgPath == "watchpost/actors" })
	p := found[at]
	components := componentsOf(p)
	require.Greater(t, len(components), 15)
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
				owner, field := fieldOf(p.TypesInfo, s)
				if _, is := components[owner]; is && owner != receiverOf(function) && field != "team" {
					t.Errorf("%s: %s uses the field %s of %s: make it a method of %s", place(p.Fset, s), nameOf(function), field, owner, owner)
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

// fieldOf returns the type that declares the field of a selector, and the field's name;
// "" for what is no field, or one of an embedded type.
func fieldOf(info *types.Info, s *ast.SelectorExpr) (owner, field string) {
	selection := info.Selections[s]
	if selection == nil || selection.Kind() != types.FieldVal || len(selection.Index()) > 1 {
		return "", ""
	}
	t := selection.Recv()
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name(), s.Sel.Name
	}
	return "", ""
}

func place(set *token.FileSet, n ast.Node) string { return set.Position(n.Pos()).String() }
