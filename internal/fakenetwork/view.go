package fakenetwork

import (
	"strconv"
	"time"

	"watchpost/internal/fakenetwork/page"
)

// viewer is the signed-in member as pages show it.
func (v *viewpoint) viewer() *page.Viewer {
	if v.me == nil {
		return nil
	}
	out := &page.Viewer{URN: v.me.urn(), Slug: v.me.slug, Name: v.me.name(), Companies: []page.Actor{}}
	for _, c := range v.me.manages {
		out.Companies = append(out.Companies, firmActor(c))
	}
	return out
}

// myActors are the URNs that the viewer may act as.
func (v *viewpoint) myActors() []string {
	urns := []string{v.me.urn()}
	for _, c := range v.me.manages {
		urns = append(urns, c.urn())
	}
	return urns
}

func memberActor(m *member) page.Actor {
	return page.Actor{
		Type: page.ActorUser, URN: m.urn(), Slug: m.slug, Name: m.name(), Headline: m.headline,
		Path: m.path(), Image: "/media/members/" + strconv.FormatUint(m.id, 10) + ".svg",
	}
}

func firmActor(c *company) page.Actor {
	return page.Actor{
		Type: page.ActorCompany, URN: c.urn(), Slug: c.slug, Name: c.name, Headline: c.industry,
		Path: c.path(), Image: "/media/companies/" + strconv.FormatUint(c.id, 10) + ".svg",
	}
}

// postView is a post as the viewer sees it at the moment.
func (v *viewpoint) postView(p *post) page.Post {
	age := v.now.Sub(p.at)
	likes, mine := v.records.likers(p, v.myActors())
	out := page.Post{
		URN: p.urn(), Path: p.path(), Content: p.content, Type: p.kind, PostedAt: p.at,
		Likes:    grown(p.likes, age) + likes,
		Comments: grown(p.comments, age) + len(v.records.remarks(p)),
		Shares:   grown(p.shares, age),
		LikedBy:  mine, ImageText: p.caption,
	}
	if p.member != nil {
		out.Author = memberActor(p.member)
	} else {
		out.Author = firmActor(p.company)
	}
	number := strconv.FormatUint(p.id, 10)
	switch p.kind {
	case "image":
		out.Images = []string{"/media/posts/" + number + ".svg"}
	case "video":
		out.Videos = []string{"/media/videos/" + number + ".mp4"}
	}
	return out
}

func (v *viewpoint) postViews(posts []*post) []page.Post {
	out := make([]page.Post, len(posts))
	for i, p := range posts {
		out[i] = v.postView(p)
	}
	return out
}

// shownRemarks is the number of the world's comments on a post's page; the
// counter may be higher, as on a page that shows the newest only.
const shownRemarks = 5

// commentViews are the comments on a post, oldest first.
func (v *viewpoint) commentViews(p *post) []page.Comment {
	out := []page.Comment{}
	r := stream(v.world.seed, "comments "+strconv.FormatUint(p.id, 10))
	for i := range min(shownRemarks, grown(p.comments, v.now.Sub(p.at))) {
		out = append(out, page.Comment{
			URN:    urnComment + strconv.FormatUint(p.id, 10) + strconv.Itoa(i),
			Author: memberActor(pick(r, v.world.members)), Text: pick(r, remarks),
			PostedAt: p.at.Add(time.Duration(i+1) * time.Minute),
		})
	}
	mine := make(map[string]bool)
	for _, urn := range v.myActors() {
		mine[urn] = true
	}
	for _, c := range v.records.remarks(p) {
		out = append(out, page.Comment{URN: c.urn, Author: c.actor, Text: c.text, PostedAt: c.at, Mine: mine[c.actor.URN]})
	}
	return out
}

// profileView is a member's page as the viewer sees it.
func (v *viewpoint) profileView(m *member) *page.Profile {
	a := memberActor(m)
	out := &page.Profile{
		URN: a.URN, Slug: m.slug, FirstName: m.first, LastName: m.last, Name: a.Name, Headline: m.headline,
		Location: m.place.name, Image: a.Image, About: m.about, Industry: m.company.industry, Language: m.language,
		Connections: len(v.connectionsOf(m)), Followers: m.followers,
		Positions: []page.Position{}, Education: []page.Education{}, Skills: m.skills,
		Relation: v.relation(m), Degree: v.degree(m), Invites: v.records.invited(m, v.me),
	}
	for _, p := range m.positions {
		pos := page.Position{
			Title: p.title, CompanyName: p.company.name, CompanySlug: p.company.slug, Location: p.place,
			StartYear: p.start.Year(), StartMonth: int(p.start.Month()), IsCurrent: p.end.IsZero(),
		}
		if !p.end.IsZero() {
			pos.EndYear, pos.EndMonth = p.end.Year(), int(p.end.Month())
		}
		out.Positions = append(out.Positions, pos)
	}
	for _, e := range m.schools {
		out.Education = append(out.Education, page.Education{School: e.school, Degree: e.degree, Field: e.field, StartYear: e.from, EndYear: e.to})
	}
	return out
}

// relation is the viewer's relation to a member.
func (v *viewpoint) relation(m *member) string {
	switch {
	case m == v.me:
		return page.RelationSelf
	case v.records.connected(v.me, m):
		return page.RelationConnected
	case v.records.invited(v.me, m):
		return page.RelationPending
	default:
		return page.RelationNone
	}
}

// degree is the distance between the viewer and a member.
func (v *viewpoint) degree(m *member) int {
	switch {
	case m == v.me:
		return 0
	case v.records.connected(v.me, m):
		return 1
	case m.company == v.me.company:
		return 2
	default:
		return 3
	}
}

// connectionsOf returns the connections of a member.
func (v *viewpoint) connectionsOf(m *member) []*member {
	var list []*member
	for _, other := range v.records.everyone() {
		if v.records.connected(m, other) {
			list = append(list, other)
		}
	}
	return list
}

func (v *viewpoint) personView(m *member) page.Person {
	return page.Person{
		URN: m.urn(), Slug: m.slug, Name: m.name(), Headline: m.headline, Location: m.place.name, Degree: v.degree(m),
		Image: memberActor(m).Image, Relation: v.relation(m),
	}
}

func companyView(c *company) *page.Company {
	a := firmActor(c)
	return &page.Company{
		URN: a.URN, Slug: c.slug, Name: c.name, Industry: c.industry, Description: c.about, EmployeeCount: c.employees,
		Headquarters: c.place.name, Website: c.website, Followers: c.followers, Logo: a.Image, Specialties: c.specialties,
	}
}
