package docs

import (
	"bytes"
	_ "embed" // recipes.md
	"fmt"
	"html/template"
	"strings"

	"watchpost/http/endpoint"
)

// recipesText are the recipes, as the README has them.
//
//go:embed recipes.md
var recipesText string

// block is a heading, a paragraph or a program of the recipes.
type block struct{ Heading, Text, Code string }

// blocksOf reads the part of Markdown that the recipes use: headings of the third level,
// paragraphs, and programs between fences.
func blocksOf(text string) (blocks []block) {
	for i, part := range strings.Split(text, "```") {
		if i%2 == 1 {
			_, code, _ := strings.Cut(part, "\n") // behind the name of the language
			blocks = append(blocks, block{Code: code})
			continue
		}
		for paragraph := range strings.SplitSeq(strings.TrimSpace(part), "\n\n") {
			if heading, is := strings.CutPrefix(paragraph, "### "); is {
				blocks = append(blocks, block{Heading: heading})
			} else {
				blocks = append(blocks, block{Text: paragraph})
			}
		}
	}
	return blocks
}

// newRecipesPage renders the page of the recipes.
func newRecipesPage() (docsPage, error) {
	page, style, err := readPage("recipes.html")
	if err != nil {
		return docsPage{}, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, struct {
		Style  template.CSS
		Blocks []block
	}{template.CSS(style), blocksOf(recipesText)}) //nolint:gosec // files of ours
	if err != nil {
		return docsPage{}, fmt.Errorf("docs: %w", err)
	}
	policy := fmt.Sprintf("default-src 'none'; img-src data:; style-src %s; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", sourceHash(style))
	return docsPage{out.Bytes(), policy, endpoint.EtagOf(out.Bytes())}, nil
}
