package actors

import "strings"

// Texts that the rules for posts cannot bear, in the tests of this package.
const (
	noUnderstanding = "cannot be understood"
	noMatch         = "cannot be matched"
)

func init() {
	beforeStep = func(step, content string) {
		switch {
		case step == "understand" && strings.Contains(content, noUnderstanding):
			panic("about " + content)
		case step == "match" && strings.Contains(content, noMatch):
			var none []int
			_ = none[len(noMatch)]
		}
	}
}
