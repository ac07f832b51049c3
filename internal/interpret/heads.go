package interpret

import "slices"

// headNames returns the names in the heads, which apply to every item.
func (b *builder) headNames() (names []run) {
	for _, full := range b.heads {
		h := b.trim(full, true)
		if b.isNamed(h) && (len(h) == len(full) || acronym(h[0].text) || related[full[len(full)-1].norm]) {
			names = append(names, h)
		}
	}
	return names
}

// related are roles of people who deal with a named company and are not part of
// its name.
var related = wordSet(`merchants sellers employees employee customers customer users user staff workers clients patients owners`)

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
			for len(r) > 1 && r[0].class&seniorityWord != 0 {
				r = r[1:]
			}
			if len(r) == 0 {
				continue
			}
			role, last := slices.ContainsFunc(r, func(t token) bool { return t.class&roleWord != 0 }), r[len(r)-1].norm
			occupation := levels[last] == "" && !anyone[last] && len(r)+len(b.places)+len(b.intents) > 1 || staff && len(r) > 1
			if role && !occupation || !role && !b.says(r) {
				continue
			}
			b.guessed[SlotSubject] = b.guessed[SlotSubject] || role && !staff
			b.topics = append(b.topics, topic{name: texts(r), keys: b.inflect(r), specific: len(r) > 1, weak: len(r) == 1})
		}
		if len(b.topics) > 0 {
			return
		}
	}
	if staff && len(b.places) > 0 { // people who are hiring in Berlin
		b.guessed[SlotSubject] = true
		name := b.intents[0].label
		b.topics = append(b.topics, topic{name: name, keys: b.signalsOf()[:3], specific: true})
	}
}

// anyone are roles that are too common to be a topic.
var anyone = wordSet(`people men women user users customer customers consumer consumers employee employees worker workers staff team teams expert experts
	professional professionals leader leaders leadership executive executives exec execs specialist specialists decision_maker decision_makers partner partners buyer
	buyers seller sellers candidate candidates hire hires creator creators maker makers vendors influencer influencers investor investors entrepreneur
	entrepreneurs student students officer officers assistant assistants lead leads manager managers operator operators agent agents dirigeant dirigeants kunden
	führungskräfte fuhrungskrafte unternehmer guru gurus professional planner planners advisor advisors`)

func (b *builder) itemRuns() []run {
	var out []run
	for _, it := range b.items {
		out = append(out, it.runs...)
	}
	return out
}
