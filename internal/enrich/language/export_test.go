package language

import "strings"

// SmallTexts is a training set of a few lines in every language.
func SmallTexts() map[string]Texts {
	texts := map[string]Texts{}
	for _, group := range trained {
		for i, name := range strings.Fields(group.names + " " + group.others) {
			line := ""
			for j := range 6 {
				line += string(rune('a'+(i*7+j*3)%26)) + string(rune('a'+(i*5+j)%26)) + " "
			}
			texts[name] = Texts{Sentences: []string{line, line + line}, Words: []string{"ab", "cd"}}
		}
	}
	return texts
}
