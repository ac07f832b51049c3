package fakenetwork

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// defaultPostsPerDay gives some thousands of posts in a month.
const defaultPostsPerDay = 110

// The size of the generated world.
const (
	memberCount    = 400
	companyCount   = 60
	forumShare     = 9  // one forum post per this many posts of the network
	daysBack       = 30 // days of posts before the start,
	daysAhead      = 60 // and after it
	companyShare   = 6  // one company post per this many posts
	memberIDBase   = 10_000_000
	companyIDBase  = 1_000_000
	createdIDBase  = 1_000_000_000 // of members created by signing in
	createdIDRange = 8_000_000_000
)

// newWorld generates the members and companies of a seed; generatePosts or a
// corpus adds the posts. epoch is a fixed day before the start, by which
// careers are dated.
func newWorld(seed int64) *world {
	w := &world{
		seed:          uint64(seed),
		memberBySlug:  make(map[string]*member),
		memberByID:    make(map[uint64]*member),
		companyBySlug: make(map[string]*company),
		companyByID:   make(map[uint64]*company),
	}
	r := stream(w.seed, "companies")
	for i := range companyCount {
		w.addCompany(r, i)
	}
	for i := range memberCount {
		r := stream(w.seed, "member "+strconv.Itoa(i))
		first, last := pick(r, firstNames), pick(r, lastNames)
		slug := slugify(first+" "+last, 40)
		if w.memberBySlug[slug] != nil {
			slug += "-" + strconv.Itoa(i)
		}
		// The first members of each company manage its page.
		m := w.makeMember(r, slug, first, last, w.companies[i%companyCount])
		m.id = memberIDBase + uint64(i)*1009 + hash(w.seed, slug)%1009
		if i < 2*companyCount {
			m.manages = []*company{m.company}
		}
		w.members = append(w.members, m)
		w.memberBySlug[slug], w.memberByID[m.id] = m, m
	}
	return w
}

// addCompany generates company number i.
func (w *world) addCompany(r *rand.Rand, i int) {
	name := companyHeads[i%len(companyHeads)] + " " + companyTails[(i+i/len(companyHeads)*3)%len(companyTails)]
	c := &company{
		id:        companyIDBase + uint64(i)*97 + hash(w.seed, name)%97,
		slug:      slugify(name, 40),
		name:      name,
		industry:  pick(r, industries),
		place:     pick(r, places),
		employees: 10 + r.IntN(40)*r.IntN(60)*3,
		followers: 200 + r.IntN(90_000),
	}
	c.website = "https://" + c.slug + ".example"
	for _, s := range r.Perm(len(specialties))[:3] {
		c.specialties = append(c.specialties, specialties[s])
	}
	c.about = fmt.Sprintf("%s works in %s from %s. We care about %s and %s.", name,
		strings.ToLower(c.industry), c.place.name, strings.ToLower(c.specialties[0]), strings.ToLower(c.specialties[1]))
	w.companies = append(w.companies, c)
	w.companyBySlug[c.slug], w.companyByID[c.id] = c, c
}

// makeMember generates a member who works at employer, with the given id.
func (w *world) makeMember(r *rand.Rand, slug, first, last string, employer *company) *member {
	m := &member{
		slug: slug, first: first, last: last, company: employer,
		language:  speeches[r.IntN(5)].code,
		place:     pick(r, places),
		followers: 60 + r.IntN(12_000),
	}
	role := pick(r, roles)
	m.headline = role + " at " + employer.name
	if r.IntN(3) == 0 {
		m.headline += " | " + pick(r, topics).name
	}
	since := time.Date(2016+r.IntN(8), time.Month(1+r.IntN(12)), 1, 0, 0, 0, 0, time.UTC)
	m.positions = []position{{title: role, company: employer, place: m.place.name, start: since}}
	for range r.IntN(3) {
		from := since.AddDate(-1-r.IntN(4), -r.IntN(6), 0)
		m.positions = append(m.positions, position{
			title: pick(r, roles[15:]), company: pick(r, w.companies), place: pick(r, places).name, start: from, end: since,
		})
		since = from
	}
	m.schools = []education{{
		school: pick(r, schools), degree: pick(r, degrees), field: pick(r, fields), from: since.Year() - 5, to: since.Year() - 1,
	}}
	for _, s := range r.Perm(len(skillNames))[:4+r.IntN(5)] {
		m.skills = append(m.skills, skillNames[s])
	}
	m.about = fmt.Sprintf("I work on %s and %s. Before that: %s. Based in %s.",
		pick(r, topics).name, pick(r, topics).name, m.schools[0].field, m.place.name)
	m.text = fold(strings.Join([]string{m.name(), m.headline, m.about, employer.industry, strings.Join(m.skills, " ")}, "\n"))
	return m
}

// createMember creates the member of a slug that signs in for the first time.
// taken reports used ids. The account manages the page of the member's
// company, so that it can act for one.
func (w *world) createMember(slug string, taken func(id uint64) bool) *member {
	r := stream(w.seed, "account "+slug)
	var names []string
	for _, part := range strings.FieldsFunc(slug, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		first := []rune(part)
		names = append(names, strings.ToUpper(string(first[:1]))+string(first[1:]))
	}
	if len(names) == 0 {
		names = []string{slug}
	}
	m := w.makeMember(r, slug, names[0], strings.Join(names[1:], " "), pick(r, w.companies))
	m.manages = []*company{m.company}
	m.id = createdIDBase + hash(w.seed, slug)%createdIDRange
	for taken(m.id) {
		m.id++
	}
	return m
}

// generatePosts generates the posts of the days around start, n per day.
func (w *world) generatePosts(start time.Time, perDay int) {
	var posts, forum []*post
	first := start.UTC().Truncate(24*time.Hour).AddDate(0, 0, -daysBack)
	for d := range daysBack + daysAhead + 1 {
		day := first.AddDate(0, 0, d)
		number := uint64(day.Unix() / 86_400)
		r := stream(w.seed, "day "+strconv.FormatUint(number, 10))
		for i := range perDay {
			p := w.makePost(r, day)
			p.id = 7_000_000_000_000_000_000 + number*1_000_000_000 + uint64(i)*1_000_000 + uint64(r.IntN(1_000_000))
			p.slug = postSlug(p)
			posts = append(posts, p)
		}
		for i := range 1 + perDay/forumShare {
			p := w.makeForumPost(r, day)
			p.id = number*1000 + uint64(i)
			p.slug = slugify(p.content, 50) + "-" + strconv.FormatUint(p.id, 10)
			forum = append(forum, p)
		}
	}
	w.posts, w.forum = newTimeline(posts), newTimeline(forum)
}

// makePost generates a post of a day.
func (w *world) makePost(r *rand.Rand, day time.Time) *post {
	p := &post{at: moment(r, day), kind: "text"}
	w.sign(r, p)
	s := speak(r)
	t := pick(r, topics)
	lines := []string{w.fill(r, pick(r, s.open), t)}
	for range 1 + r.IntN(3) {
		lines = append(lines, w.fill(r, pick(r, s.body), t))
	}
	if end := pick(r, s.close); end != "" {
		lines = append(lines, end)
	}
	p.content = strings.Join(lines, pick(r, []string{" ", "\n\n", "\n"}))
	tags := "#" + t.tag
	if r.IntN(2) == 0 {
		tags += " #" + pick(r, topics).tag
	}
	p.content += "\n\n" + tags
	dress(r, p, t)
	count(r, p)
	return p
}

// dress chooses a post's type and the text of its image, if any.
func dress(r *rand.Rand, p *post, t topic) {
	switch n := r.IntN(20); {
	case n < 5:
		p.kind = "image"
		if r.IntN(2) == 0 {
			p.caption = t.name + ": the year in numbers"
		}
	case n < 7:
		p.kind = "video"
	case n < 9:
		p.kind = "article"
	case n < 10:
		p.kind = "poll"
	}
}

// count chooses a post's final counters; few posts get high ones.
func count(r *rand.Rand, p *post) {
	reach := r.ExpFloat64()
	p.likes = int(reach * reach * 40)
	p.comments = int(reach * r.Float64() * 12)
	p.shares = int(reach * r.Float64() * 5)
}

// sign chooses a post's author.
func (w *world) sign(r *rand.Rand, p *post) {
	if r.IntN(companyShare) == 0 {
		p.company = pick(r, w.companies)
	} else {
		p.member = pick(r, w.members)
	}
}

// makeForumPost generates a forum post of a day.
func (w *world) makeForumPost(r *rand.Rand, day time.Time) *post {
	t := pick(r, topics)
	lines := []string{w.fill(r, pick(r, forumOpen), t)}
	for range 1 + r.IntN(3) {
		lines = append(lines, w.fill(r, pick(r, forumBody), t))
	}
	p := &post{forum: true, member: pick(r, w.members), kind: "text", at: moment(r, day), content: strings.Join(lines, "\n")}
	count(r, p)
	return p
}

// moment returns a second of a day.
func moment(r *rand.Rand, day time.Time) time.Time {
	return day.Add(time.Duration(r.IntN(86_400)) * time.Second)
}

// speak chooses a language.
func speak(r *rand.Rand) *speech {
	n := r.IntN(100)
	for i := range speeches {
		if n -= speeches[i].weight; n < 0 {
			return &speeches[i]
		}
	}
	return &speeches[0]
}

// fill fills the gaps of a phrase with words.
func (w *world) fill(r *rand.Rand, phrase string, t topic) string {
	phrase = strings.ReplaceAll(phrase, "{t}", t.name)
	phrase = strings.ReplaceAll(phrase, "{c}", pick(r, w.companies).name)
	phrase = strings.ReplaceAll(phrase, "{n}", strconv.Itoa(3+r.IntN(57)))
	town, _, _ := strings.Cut(pick(r, places).name, ",")
	return strings.ReplaceAll(phrase, "{p}", town)
}

// postSlug returns the name of a post in addresses.
func postSlug(p *post) string {
	var author string
	if p.member != nil {
		author = p.member.slug
	} else {
		author = p.company.slug
	}
	slug := author + "_"
	if text := slugify(p.content, 50); text != "" {
		slug += text + "-"
	}
	return slug + "activity-" + strconv.FormatUint(p.id, 10)
}
