package interpret

// builder converts a wish to entries.
type builder struct {
	wish
	topics   []topic
	guessed  map[string]bool // slots
	tailed   bool            // the prompt names the topic of the posts
	excludes []string
}

// build converts a parsed prompt to a result. Without keywords the prompt does
// not say enough.
func build(w wish) Result {
	b := &builder{wish: w, guessed: map[string]bool{}}
	b.collect()
	b.exclude()
	r := Result{Subject: b.subject(), Hours: w.hours}
	if len(b.topics) == 0 {
		return r
	}
	r.Keywords = b.entries()
	r.Labels = b.labelsOf()
	r.Objective = b.objective(r.Subject)
	r.Slots = b.slots(r)
	return r
}
