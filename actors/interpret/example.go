package interpret

import (
	"slices"
	"strings"
	"unicode/utf8"

	"watchpost"
)

// Every refusal carries an example: the prompt as it could have been, with
// what it does say. An example is itself never refused, not even by a caller
// who wants nothing guessed.

// exampleChars bounds what an example repeats of a prompt.
const exampleChars = 60

// defaultExample is for prompts of which nothing can be kept.
const defaultExample = `Posts about Kubernetes security in Germany, without internships or webinars`

// fine returns the first text that would not be refused.
func fine(candidates ...string) string {
	for _, c := range candidates {
		if c = foldSpace(c); c != "" && utf8.RuneCountInString(c) <= 400 && accepted(c) {
			return c
		}
	}
	return defaultExample
}

// accepted reports whether a strict caller's prompt would be served. It does
// not ask Check, which makes examples of its own.
func accepted(prompt string) bool {
	tokens := tokenise(prompt)
	links, _ := bare(tokens)
	words, chars := size(prompt)
	if len(links) > 0 || len(placeholders(prompt)) > 0 || words < minWords || chars < minChars {
		return false
	}
	if _, ok := gibberish(tokens); ok {
		return false
	}
	if _, ok := ownEngagement(tokens); ok || isForeign(tokens) {
		return false
	}
	r := build(parse(tokens))
	return len(r.Keywords) > 0 && len(r.Inferred()) == 0
}

// quotable returns text as it can stand in quotes in an example, or "".
func quotable(s string) string {
	s = foldSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"“”„«»[]{}<>", r) {
			return -1
		}
		return r
	}, s))
	if utf8.RuneCountInString(s) > exampleChars || !hasWord(s) {
		return ""
	}
	return s
}

func named(links []token) string { return quotable(linkName(links[0])) }

func linksOf(links []token) []string {
	var out []string
	for _, l := range links {
		out = append(out, l.text)
	}
	return out
}

func refuseProfile(links []token) *Refused {
	person := links[0]
	for _, l := range links {
		if _, ok := l.profile(); ok {
			person = l
			break
		}
	}
	name := quotable(linkName(person))
	example := ""
	if name != "" {
		example = `Posts that mention "` + name + `", without "hiring" or "vacancy"`
	}
	return &Refused{
		Reason: BareProfileLink, Missing: []string{SlotSubject}, Detected: map[string]any{"profile_links": linksOf(links)},
		Example:  fine(example),
		Question: "Which topic should the posts be about? To follow what one person posts, create a people watchlist with the profile instead.",
	}
}

func refuseURL(links []token) *Refused {
	question := "What should the posts say about this page, and who should write them?"
	if ref, err := watchpost.ParseCompany(links[0].text); err == nil && ref.Slug+ref.ID != "" {
		question = "Which topic should the posts be about? To follow what one company posts, create a company watchlist with it instead."
	}
	example := ""
	if name := named(links); name != "" {
		example = `Posts that mention "` + name + `", without "hiring" or "vacancy"`
	}
	return &Refused{
		Reason: BareURL, Missing: []string{SlotSubject}, Detected: map[string]any{"urls": linksOf(links)},
		Example: fine(example), Question: question,
	}
}

// fillings are what placeholders are filled with in examples, by a word in
// them; the first that fits is taken.
var fillings = [][2]string{
	{"competitor", "HubSpot"}, {"job title", "data engineers"}, {"role", "data engineers"}, {"job", "data engineers"}, {"title", "data engineers"},
	{"position", "data engineers"}, {"seniority", "senior"}, {"city", "Berlin"}, {"country", "Germany"}, {"location", "Germany"}, {"region", "Germany"},
	{"place", "Berlin"}, {"area", "Germany"}, {"industry", "logistics"}, {"sector", "logistics"}, {"niche", "logistics"}, {"market", "logistics"},
	{"company", "Salesforce"}, {"brand", "Salesforce"}, {"product", "Salesforce"}, {"tool", "Terraform"}, {"technolog", "Terraform"}, {"skill", "Terraform"},
	{"software", "Salesforce"}, {"language", "English"}, {"hashtag", "#devops"}, {"name", "Salesforce"}, {"audience", "founders"}, {"persona", "founders"},
	{"customer", "founders"}, {"client", "founders"}, {"person", "founders"}, {"people", "founders"}, {"problem", "churn"}, {"pain", "churn"}, {"event", "Black Friday"},
	{"topic", "Kubernetes security"}, {"subject", "Kubernetes security"}, {"keyword", "Kubernetes"}, {"field", "logistics"},
}

func filling(placeholder string) string {
	lower := strings.ToLower(placeholder)
	for _, f := range fillings {
		if strings.Contains(lower, f[0]) {
			return f[1]
		}
	}
	return "Kubernetes security"
}

func refusePlaceholder(prompt string, found []string) *Refused {
	filled := readable(prompt)
	for _, p := range found {
		filled = strings.ReplaceAll(filled, p, filling(p))
	}
	shown := make([]string, 0, len(found))
	for _, p := range found {
		if len(shown) < 20 && !slices.Contains(shown, p) {
			shown = append(shown, p)
		}
	}
	return &Refused{
		Reason: Placeholder, Missing: shown, Detected: map[string]any{"placeholders": shown},
		Example:  fine(filled, strings.TrimRight(filled, ".!? ")+", written by people in Germany"),
		Question: "What should stand in place of " + shorten(shown[0], exampleChars) + "?",
	}
}

func refuseShort(tokens []token, words, chars int) *Refused {
	w := parse(tokens)
	detected := detect(w)
	detected["words"], detected["characters"] = words, chars
	missing := []string{}
	if _, ok := detected[SlotSubject]; !ok {
		missing = append(missing, SlotSubject)
	}
	if words < minWords {
		missing = append(missing, "words")
	}
	if chars < minChars {
		missing = append(missing, "characters")
	}
	return &Refused{
		Reason: TooShort, Missing: missing, Detected: detected, Example: enriched(w),
		Question: "Who should the posts be from, where, and what should be left out?",
	}
}

func refuseGibberish(odd []string) *Refused {
	if len(odd) > 10 {
		odd = odd[:10]
	}
	return &Refused{
		Reason: Gibberish, Missing: []string{SlotSubject}, Detected: map[string]any{"unreadable": list(odd)}, Example: defaultExample,
	}
}

func refuseEngagement(found string) *Refused {
	return &Refused{
		Reason: OwnEngagement, Missing: []string{SlotSubject}, Detected: map[string]any{"request": shorten(found, exampleChars)},
		Example:  "Posts by founders about content marketing, without webinars or giveaways",
		Question: "A watchlist finds what others write; it brings no engagement to your own posts. Which topic do the people you want to reach write about?",
	}
}

func refuseSubject(w wish) *Refused {
	question := "What should the posts be about?"
	if slices.ContainsFunc(w.topics, func(it item) bool { return len(ownless(it.words)) < len(it.words) }) {
		question = "Which product, company or competitors do you mean? Name them."
	}
	return &Refused{
		Reason: NoSubject, Missing: []string{SlotSubject}, Detected: detect(w), Example: enriched(w), Question: question,
	}
}

// detect returns what a prompt says, slot by slot.
func detect(w wish) map[string]any {
	out := map[string]any{}
	b := built{guesses: map[string]bool{}}
	b.collect(w)
	b.exclusions(w)
	if s := b.subject(); s != "" {
		out[SlotSubject] = s
	}
	var where []string
	for _, p := range w.places {
		where = append(where, p.name)
	}
	for name, values := range map[string][]string{
		SlotLocation: where, SlotRole: rolesOf(w), SlotSeniority: seniorityOf(w), SlotExclusions: b.excluded,
	} {
		if len(values) > 0 {
			out[name] = values
		}
	}
	if w.language != "" {
		out[SlotLanguage] = w.language
	}
	return out
}

// enriched writes an example that keeps what a prompt says and adds what it
// does not.
func enriched(w wish) string {
	b := built{guesses: map[string]bool{}}
	b.collect(w)
	subject, where, who, left := "Kubernetes security", "Germany", "", "internships"
	if s := quotable(b.subject()); s != "" && !b.guesses[SlotSubject] {
		subject = s
	}
	if roles := rolesOf(w); len(roles) > 0 && quotable(roles[0]) != "" {
		who = "by " + quotable(roles[0]) + " "
	}
	if len(w.places) > 0 {
		if where = w.places[0].name; withArticle[where] {
			where = "the " + where
		}
	}
	if b.exclusions(w); len(b.excluded) > 0 && quotable(b.excluded[0]) != "" {
		left = `"` + quotable(b.excluded[0]) + `"`
	}
	return fine(
		"Posts "+who+"about "+subject+" in "+where+", without "+left,
		`Posts `+who+`about "`+subject+`" in `+where+", without "+left,
		"Posts "+who+"about Kubernetes security in "+where+", without "+left,
		"Posts about "+subject+" in Germany, without internships",
	)
}

var withArticle = wordSet(`United_States United_Kingdom UK USA EU UAE Netherlands Philippines Middle_East Bay_Area Nordics Baltics`)

// explicit writes a result as a prompt that leaves nothing to be guessed.
func explicit(r Result) string {
	if len(r.Keywords) == 0 {
		return defaultExample
	}
	quote := func(words []string, most int) []string {
		var out []string
		for _, w := range words {
			if q := quotable(w); q != "" && len(out) < most {
				out = append(out, `"`+q+`"`)
			}
		}
		return out
	}
	first := r.Keywords[0]
	var same []string
	for _, k := range r.Keywords {
		if slices.Equal(k.Required, first.Required) {
			same = append(same, k.Keyword)
		}
	}
	s := "Posts that mention " + enumerate(quote(same, 4), "or")
	if must := quote(first.Required, 3); len(must) > 0 {
		s += " and that must mention " + enumerate(must, "and")
	}
	if out := quote(first.Excluded, 3); len(out) > 0 {
		s += ", without " + enumerate(out, "or")
	}
	return fine(s, strings.Replace(s, "Posts", "Posts by anyone", 1), s+", in English")
}

func inferredQuestion(r Result, missing []string) string {
	switch missing[0] {
	case SlotLocation:
		return "Which places exactly should the posts speak of?"
	case SlotExclusions:
		return "Which words exactly should the posts not have?"
	case SlotKeywords:
		if len(r.Keywords) == 2 && len(r.Keywords[0].Required) == 0 {
			return "Should a post mention both, or is one of them enough?"
		}
		return "Which words exactly should the posts have?"
	}
	return "Is this what you meant?"
}
