package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// manualCommand writes the manual pages, from the definition of the command line.
type manualCommand struct {
	Dir string `arg:"" type:"path" help:"Folder to write the pages to: watchpost.1, and one for each command."`
}

// Run writes the pages.
func (c manualCommand) Run(k *kong.Kong) error {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil { //nolint:gosec // pages are for all users
		return err
	}
	for name, page := range manualPages(k.Model.Node) {
		if err := os.WriteFile(filepath.Join(c.Dir, name), page, 0o644); err != nil { //nolint:gosec // as above
			return err
		}
	}
	return nil
}

// manualPages returns the pages of a program by file name: one for the program, and
// one for each of its commands with all commands below that.
func manualPages(program *kong.Node) map[string][]byte {
	overview := newPage(program.Name, program.Help)
	overview.synopsis(program.Name + " COMMAND")
	overview.section("COMMANDS")
	pages := map[string][]byte{}
	for _, command := range program.Children {
		if command.Hidden {
			continue
		}
		name := program.Name + "-" + command.Name
		overview.item(command.Name, command.Help+" See "+name+"(1).")
		p := newPage(name, command.Help)
		p.synopsis(synopsisOf(command))
		p.section("FLAGS")
		p.describe(command)
		for _, leaf := range command.Leaves(true) {
			if leaf != command {
				p.section(strings.ToUpper(strings.TrimPrefix(leaf.FullPath(), program.Name+" ")))
				p.text(leaf.Help)
				p.describe(leaf)
			}
		}
		pages[name+".1"] = p.Bytes()
	}
	pages[program.Name+".1"] = overview.Bytes()
	return pages
}

// synopsisOf returns the words of a command, with its arguments or its commands.
func synopsisOf(n *kong.Node) string {
	words := []string{n.FullPath()}
	if len(n.Children) > 0 {
		words = append(words, "COMMAND")
	}
	words = append(words, "[flags]")
	for _, argument := range n.Positional {
		words = append(words, argument.Summary())
	}
	return strings.Join(words, " ")
}

// page is a manual page in the language of man(7).
type page struct{ bytes.Buffer }

func newPage(name, help string) *page {
	p := &page{}
	p.linef(".TH %s 1 \"\" \"watchpost\" \"Watchpost\"", roff(strings.ToUpper(name)))
	p.linef(".ad l\n.nh") // variables and addresses stay whole
	p.section("NAME")
	p.text(name + " - " + strings.TrimSuffix(help, "."))
	return p
}

func (p *page) linef(format string, args ...any) {
	_, _ = fmt.Fprintf(p, format+"\n", args...) // a buffer takes everything
}
func (p *page) section(title string) { p.linef(".SH %s", roff(title)) }
func (p *page) text(text string)     { p.linef("%s", roff(text)) }

// item describes a flag. A list of its head may be broken after a comma.
func (p *page) item(head, add string) {
	p.linef(".TP\n.B %s\n%s", strings.ReplaceAll(roff(head), ",", `,\:`), roff(add))
}

func (p *page) synopsis(line string) {
	p.section("SYNOPSIS")
	p.linef(".B %s", roff(line))
}

// describe lists the arguments and the flags of a command.
func (p *page) describe(n *kong.Node) {
	for _, argument := range n.Positional {
		p.item(argument.Summary(), argument.Help)
	}
	for _, flag := range n.Flags {
		if flag.Hidden {
			continue
		}
		text := flag.Help
		if len(flag.Envs) > 0 {
			text += " Variable: " + strings.Join(flag.Envs, ", ") + "."
		}
		p.item(flag.String(), text)
	}
}

// roff escapes a line of text.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}

// completionScript has the functions that complete; the tables come from the command
// line's definition.
//
//go:embed completion.sh
var completionScript string

// fishScript asks the script for bash.
//
//go:embed completion.fish
var fishScript string

// completeCommand prints a script that makes a shell complete command lines.
type completeCommand struct {
	Shell string `arg:"" optional:"" enum:"bash,zsh,fish" default:"bash" help:"Shell: bash, zsh or fish."`
}

// Run prints the script.
func (c completeCommand) Run(k *kong.Kong) error {
	script := fishScript
	if c.Shell != "fish" {
		script = strings.Replace(completionScript, "# TABLES\n", completionTables(k.Model.Node), 1)
	}
	_, err := fmt.Print(script)
	return err
}

// completionTables returns the cases of _watchpost_words and _watchpost_values: the
// words that may follow a command, and the values that a flag of it takes.
func completionTables(program *kong.Node) string {
	var words, values strings.Builder
	var visit func(n *kong.Node)
	visit = func(n *kong.Node) {
		path := strings.TrimSpace(strings.TrimPrefix(n.FullPath(), program.Name))
		var next []string
		for _, child := range n.Children {
			if !child.Hidden {
				next = append(next, child.Name)
				visit(child)
			}
		}
		for _, group := range n.AllFlags(true) {
			for _, flag := range group {
				next = append(next, "--"+flag.Name)
				if v := valuesOf(flag); v != "" {
					fmt.Fprintf(&values, "        %q) echo %q ;;\n", path+" --"+flag.Name, v)
				}
			}
		}
		slices.Sort(next)
		fmt.Fprintf(&words, "        %q) echo %q ;;\n", path, strings.Join(slices.Compact(next), " "))
	}
	visit(program)
	table := func(name, cases string) string {
		return name + "() {\n    case \"$1\" in\n" + cases + "    esac\n}\n"
	}
	return table("_watchpost_words", words.String()) + table("_watchpost_values", values.String())
}

// valuesOf returns the texts after a flag: its values, FILE for a file, ANY for a text
// that nothing completes, or "" for a flag without a value.
func valuesOf(flag *kong.Flag) string {
	switch {
	case flag.Enum != "":
		return strings.Join(flag.EnumSlice(), " ")
	case flag.IsBool() || flag.IsCounter():
		return ""
	case flag.Tag.Type == "path":
		return "FILE"
	}
	return "ANY"
}
