// Package planted measures the power of the simulations: it plants faults in the actors
// and in the rules, and those of Nodes in package cluster and in what surrounds it, one at a
// time. The simulated lives must find them. A fault is a
// small textual change of a function. The checkout stays as it is: one binary is built
// from an overlay in which each such function has its original and its faulty bodies, and
// the environment says which of them runs.
package planted

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Variable is the variable of the environment that names the fault to run with.
const Variable = "WATCHPOST_SIM_FAULT"

// Fault is a planted fault.
type Fault struct {
	Name string
	// Breaks is the promise that the fault breaks.
	Breaks string
	Edits  []Edit
	// Missed says why the simulation cannot find it; empty: it must.
	Missed string
}

// Edit is a change of a function, which is named without its package: functions move.
// Old occurs once in one function of that name.
type Edit struct{ In, Old, New string }

// folders are where functions are looked for, and skipped those in which they are not.
var (
	folders = []string{"actors", "watchpost", "persistence/teamspace", "internal/cluster", "http/edge"}
	skipped = []string{"actors/sim", "actors/actorstest", "internal/cluster/sim", "internal/cluster/model", "internal/lives"}
)

// source is a file with functions that have faults.
type source struct {
	path, name string // and the name of its package
	text       []byte
	functions  []*function
}

// function is a function of a source, with its faulty texts by the names of their faults.
type function struct {
	decl       *ast.FuncDecl
	name       string
	begin, end int // in the text of the source
	faults     []faulty
}

type faulty struct{ fault, text string }

// plant finds the functions of faults below the root of the module, and returns the
// sources that have some. The error names each fault that does not apply any more.
func plant(root string, faults []Fault) ([]*source, error) {
	sources, err := parse(root)
	if err != nil {
		return nil, err
	}
	byName := map[string][]*function{}
	texts := map[*function]string{}
	for _, s := range sources {
		for _, f := range s.functions {
			byName[f.name] = append(byName[f.name], f)
			texts[f] = string(s.text[f.begin:f.end])
		}
	}
	var wrong []string
	for i := range faults {
		for _, e := range faults[i].Edits {
			if problem := e.apply(faults[i].Name, byName[e.In], texts); problem != "" {
				wrong = append(wrong, faults[i].Name+": "+problem)
			}
		}
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("planted faults do not apply:\n%s", strings.Join(wrong, "\n"))
	}
	for _, s := range sources {
		s.functions = slices.DeleteFunc(s.functions, func(f *function) bool { return len(f.faults) == 0 })
	}
	return slices.DeleteFunc(sources, func(s *source) bool { return len(s.functions) == 0 }), nil
}

// apply adds the edit to the one function that it is about. Several edits of one fault may
// be about one function.
func (e Edit) apply(fault string, candidates []*function, texts map[*function]string) (problem string) {
	var found *function
	for _, f := range candidates {
		if strings.Contains(texts[f], e.Old) {
			if found != nil {
				return "several functions " + e.In + " contain " + e.Old
			}
			found = f
		}
	}
	switch {
	case found == nil:
		return "no function " + e.In + " contains " + e.Old
	case strings.Count(texts[found], e.Old) > 1:
		return e.In + " contains this more than once: " + e.Old
	case found.decl.Type.TypeParams != nil:
		return e.In + " has type parameters"
	}
	for i := range found.faults {
		if found.faults[i].fault == fault {
			found.faults[i].text = strings.Replace(found.faults[i].text, e.Old, e.New, 1)
			return ""
		}
	}
	found.faults = append(found.faults, faulty{fault, strings.Replace(texts[found], e.Old, e.New, 1)})
	return ""
}

// parse reads the sources below the folders.
func parse(root string) (sources []*source, err error) {
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			if entry.IsDir() && slices.Contains(skipped, filepath.ToSlash(relative)) {
				return filepath.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			s, err := parseFile(path)
			sources = append(sources, s)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return sources, nil
}

func parseFile(path string) (*source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{path: path, name: file.Name.Name, text: text}
	for _, d := range file.Decls {
		if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
			s.functions = append(s.functions, &function{
				decl: decl, name: nameOf(decl), begin: files.Position(decl.Pos()).Offset, end: files.Position(decl.End()).Offset,
			})
		}
	}
	return s, nil
}

// nameOf returns the name of a function, with that of its receiver's type.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		return name.Name + "." + f.Name.Name
	}
	return f.Name.Name // of a generic type: no fault is planted there
}

// planted returns the text of the source with its faults.
func (s *source) planted() []byte {
	var out bytes.Buffer
	at := 0
	for _, f := range s.functions {
		out.Write(s.text[at:f.begin])
		f.write(&out, s.text)
		at = f.end
	}
	out.Write(s.text[at:])
	return out.Bytes()
}

// write writes a function that chooses, the original, and those with faults.
func (f *function) write(out *bytes.Buffer, text []byte) {
	part := func(n ast.Node) string { return string(text[f.offset(n.Pos()):f.offset(n.End())]) }
	call, receiver := f.decl.Name.Name, ""
	if f.decl.Recv != nil {
		receiver = "(planted " + part(f.decl.Recv.List[0].Type) + ") "
		call = "planted." + call
	}
	var params, args, results []string
	for _, p := range f.decl.Type.Params.List {
		for range max(1, len(p.Names)) {
			name := fmt.Sprint("p", len(args))
			params = append(params, name+" "+part(p.Type))
			if _, variadic := p.Type.(*ast.Ellipsis); variadic {
				name += "..."
			}
			args = append(args, name)
		}
	}
	if f.decl.Type.Results != nil {
		for _, r := range f.decl.Type.Results.List {
			results = append(results, slices.Repeat([]string{part(r.Type)}, max(1, len(r.Names)))...)
		}
	}
	run := func(i int) string {
		one := fmt.Sprintf("%sPlanted%d(%s)", call, i, strings.Join(args, ", "))
		if len(results) == 0 {
			return one + "\n\t\treturn"
		}
		return "return " + one
	}
	fmt.Fprintf(out, "func %s%s(%s) (%s) {\n\tswitch plantedFault {\n", receiver, f.decl.Name.Name, strings.Join(params, ", "), strings.Join(results, ", "))
	for i, one := range f.faults {
		fmt.Fprintf(out, "\tcase %q:\n\t\t%s\n", one.fault, run(i+1))
	}
	fmt.Fprintf(out, "\tdefault:\n\t\t%s\n\t}\n}\n\n", run(0))
	name := f.offset(f.decl.Name.Pos()) - f.begin
	for i, body := range append([]faulty{{text: string(text[f.begin:f.end])}}, f.faults...) {
		after := name + len(f.decl.Name.Name)
		fmt.Fprintf(out, "%s%sPlanted%d%s\n\n", body.text[:name], body.text[name:after], i, body.text[after:])
	}
}

// offset returns where a position of the declaration is in the text of its source.
func (f *function) offset(at token.Pos) int { return f.begin + int(at-f.decl.Pos()) }

// Overlay writes the sources with their faults to a folder, and returns what the go
// command takes as an overlay.
func Overlay(root, to string, faults []Fault) (replace map[string]string, err error) {
	sources, err := plant(root, faults)
	if err != nil {
		return nil, err
	}
	replace = map[string]string{}
	add := func(path string, text []byte) error {
		name := filepath.Join(to, fmt.Sprintf("%03d_%s", len(replace), filepath.Base(path)))
		replace[path] = name
		return os.WriteFile(name, text, 0o600)
	}
	chooser := func(s *source) string { return filepath.Join(filepath.Dir(s.path), "planted_fault.go") }
	for _, s := range sources {
		if err := add(s.path, s.planted()); err != nil {
			return nil, err
		}
		if _, added := replace[chooser(s)]; added {
			continue
		}
		text := fmt.Sprintf("package %s\n\nimport \"os\"\n\nvar plantedFault = os.Getenv(%q)\n", s.name, Variable)
		if err := add(chooser(s), []byte(text)); err != nil {
			return nil, err
		}
	}
	return replace, nil
}
