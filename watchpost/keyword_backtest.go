package watchpost

import "watchpost/internal/text"

// BackTest is what keyword entries would have done with posts.
type BackTest struct {
	Kept, Dropped []*Post // in the order of the posts
	// By counts the posts that each entry keeps; one may be kept by several.
	By []int
}

// RunBackTest tries entries on posts: a post is kept if its content matches any.
func RunBackTest(entries []KeywordEntry, posts []*Post) BackTest {
	matchers := make([]text.Matcher, len(entries))
	for i, e := range entries {
		matchers[i] = e.Matcher()
	}
	b := BackTest{By: make([]int, len(entries))}
	for _, p := range posts {
		content, kept := text.New(p.Content), false
		for i, m := range matchers {
			if m.Match(content) {
				b.By[i]++
				kept = true
			}
		}
		if kept {
			b.Kept = append(b.Kept, p)
		} else {
			b.Dropped = append(b.Dropped, p)
		}
	}
	return b
}
