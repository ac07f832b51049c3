package interpret

import "slices"

// headNames returns the names in the heads, which apply to every item.
func (b *builder) headNames() (names []run) {
	for i, full := range b.heads {
		h := b.trim(full, true)
		modifies := len(full) > len(h) && full[len(full)-1].class&roleWord != 0 || i+1 < len(b.heads) && len(b.heads[i+1]) > 0 && b.heads[i+1][0].class&roleWord != 0
		if len(h) == 0 || modifies && len(h) == 1 && len(h[0].text) < 4 && lookup("related", b.lastOf(full, i)) == "" {
			continue // HR managers
		}
		if h[0].first && modifies && !acronym(h[0].text) && lookup("related", b.lastOf(full, i)) == "" {
			continue // Warehouse managers
		}
		if b.isNamed(h) && b.says(h) {
			names = append(names, h)
		}
	}
	return names
}

func (b *builder) lastOf(r run, i int) string {
	if last := r[len(r)-1]; last.class&roleWord != 0 || i+1 >= len(b.heads) {
		return last.norm
	}
	return b.heads[i+1][0].norm
}

// anchor turns names before the subject into topics, and the subject into their
// context.
func (b *builder) anchor(names []run) {
	if slices.ContainsFunc(b.topics, func(t topic) bool { return t.named }) && len(names) > 0 {
		for _, n := range names {
			words := b.words(n)
			for i := range b.topics {
				b.topics[i].context = append(b.topics[i].context, words...)
			}
		}
		return
	}
	var context []string
	for _, t := range b.topics {
		context = append(context, t.keys...)
		context = append(context, b.parts(t.name)...)
		context = append(context, slices.Concat(t.rest, t.context)...)
	}
	b.topics = nil
	for _, n := range names {
		if t, ok := b.topic(item{runs: []run{n}}); ok {
			t.context = slices.Clone(context)
			b.topics = append(b.topics, t)
		}
	}
}

// fromHeads uses the words before the subject as the subject if there is no
// other.
func (b *builder) fromHeads(names []run) {
	for _, n := range names {
		if t, ok := b.topic(item{runs: []run{n}}); ok {
			b.topics = append(b.topics, t)
		}
	}
	if len(b.topics) > 0 {
		return
	}
	staff := slices.ContainsFunc(b.intents, func(in *intent) bool { return in.name == "hire" || in.name == "jobseek" })
	for _, list := range [][]run{b.heads, b.itemRuns()} {
		for _, h := range list {
			r := b.trim(h, false)
			role := slices.ContainsFunc(r, func(t token) bool { return t.class&roleWord != 0 })
			occupation := role && len(r) == 1 && lookup("levels", r[0].norm) == "" && lookup("anyone", r[0].norm) == "" && len(b.places)+len(b.intents) > 0
			for len(r) > 1 && r[0].class&seniorityWord != 0 {
				r = r[1:]
			}
			if n := len(r); role && n > 1 && lookup("levels", r[n-1].norm) == "" && lookup("anyone", r[n-1].norm) == "" && r[n-1].class&roleWord != 0 && r[0].class&stopWord == 0 {
				occupation = true // data engineers
			}
			if staff && role && len(r) == 1 && (lookup("levels", r[0].norm) != "" || lookup("anyone", r[0].norm) != "") {
				continue
			}
			if len(r) == 0 || !role && !b.says(r) || role && len(r) < 2 && !staff && !occupation || len(r) > 1 && !b.says(b.trim(r, true)) && !staff && !occupation {
				continue
			}
			t := topic{name: texts(r), keys: b.inflect(r)[:1], specific: len(r) > 1}
			if role {
				b.guessed[SlotSubject] = !staff
			}
			t.weak = len(r) == 1
			b.topics = append(b.topics, t)
		}
		if len(b.topics) > 0 {
			return
		}
	}
	for _, r := range b.itemRuns() { // generic words that are informative together
		if r = b.trim(r, false); len(r) > 1 && r[len(r)-1].class&roleWord == 0 && r[0].class&(frameWord|stopWord) == 0 && b.rawest(r) < 20 &&
			!slices.ContainsFunc(r, func(t token) bool { return t.class&kindWord != 0 }) {
			b.topics = append(b.topics, topic{name: texts(r), keys: b.inflect(r)[:1], specific: true})
		}
	}
	if len(b.topics) > 0 {
		return
	}
	staff = staff || slices.ContainsFunc(b.intents, func(in *intent) bool { return in.name == "funding" })
	if staff && (len(b.places) > 0 || b.intents[0].name == "funding") { // people who are hiring in Berlin
		b.guessed[SlotSubject] = true
		name := b.intents[0].label
		b.topics = append(b.topics, topic{name: name, keys: b.signalsOf()[:3], specific: true})
	}
}

// rawest returns the level of a run's least common word, in any class.
func (b *builder) rawest(r run) int {
	l := 40
	for _, t := range r {
		l = min(l, b.vocab.levels[t.norm])
	}
	return l
}

func (b *builder) itemRuns() []run {
	var out []run
	for _, it := range b.items {
		out = append(out, it.runs...)
	}
	return out
}
