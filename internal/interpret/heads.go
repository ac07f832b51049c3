package interpret

import "slices"

// headNames returns the names in the heads, which apply to every item. In "HR
// managers" and "Warehouse managers" there is no name.
func (b *builder) headNames() (names []run) {
	for i, full := range b.heads {
		h := b.trim(full, true)
		last := full[len(full)-1]
		modifies := len(full) > len(h) && last.is(roleWord)
		if i+1 < len(b.heads) && b.heads[i+1][0].is(roleWord) {
			modifies = true
		}
		related := lookup("related", last.norm) != ""
		if len(h) > 0 && (!modifies || related || (len(h) > 1 || len(h[0].text) > 3) && (!h[0].first || acronym(h[0].text))) && b.isNamed(h) && b.says(h) {
			names = append(names, h)
		}
	}
	return names
}

// anchor turns names before the subject into topics, and the subject into their
// context.
func (b *builder) anchor(names []run) {
	var context []string
	named := slices.ContainsFunc(b.topics, func(t topic) bool { return t.named })
	for _, t := range b.topics {
		context = slices.Concat(context, t.names(), b.parts(t.name), t.rest, t.context)
	}
	if !named {
		b.topics = nil
	}
	for _, n := range names {
		for i := range b.topics {
			if named {
				b.topics[i].context = append(b.topics[i].context, b.words(n)...)
			}
		}
	}
	for _, n := range names {
		for _, t := range b.topicsOf(item{groups: [][]run{{n}}}) {
			if !named {
				t.context = slices.Clone(context)
				b.topics = append(b.topics, t)
			}
		}
	}
}

// fromHeads uses the words before the subject as the subject if there is no
// other: names, occupations, or generic words that are informative together.
func (b *builder) fromHeads(names []run) {
	for _, n := range names {
		b.topics = append(b.topics, b.topicsOf(item{groups: [][]run{{n}}})...)
	}
	for _, list := range [][]run{b.heads, b.itemRuns()} {
		if len(b.topics) > 0 {
			return
		}
		for _, h := range list {
			if r := b.occupation(b.trim(h, false)); r != nil {
				b.topics = append(b.topics, topic{name: texts(r), keys: b.inflect(r)[:1], specific: len(r) > 1, weak: len(r) == 1})
			}
		}
	}
	if len(b.topics) == 0 && (b.has("funding") || b.staff() && len(b.places) > 0) { // people who are hiring in Berlin
		b.guessed[SlotSubject] = true
		for _, k := range b.signalsOf()[:3] {
			b.topics = append(b.topics, topic{name: b.intents[0].label, keys: []string{k}, specific: true})
		}
	}
}

// occupation returns a run without seniority if it can be a subject: data
// engineers, or nurses with a condition. It returns nil for managers.
func (b *builder) occupation(r run) run {
	common := func(t token) bool { return lookup("levels", t.norm)+lookup("anyone", t.norm) != "" }
	sought, role := b.has("hire jobseek"), slices.ContainsFunc(r, func(t token) bool { return t.is(roleWord) })
	for len(r) > 1 && r[0].is(seniorityWord) {
		r = r[1:]
	}
	n := len(r)
	if n == 0 || !role && !b.says(r) || sought && role && n == 1 && common(r[0]) {
		return nil
	}
	work := sought || role && !common(r[n-1]) && (n == 1 && len(b.places)+len(b.intents) > 0 || n > 1 && r[n-1].is(roleWord) && !r[0].is(stopWord))
	if !work && (role && n == 1 || n > 1 && !b.says(b.trim(r, true))) {
		return nil
	}
	if role {
		b.guessed[SlotSubject] = !sought
	}
	return r
}
