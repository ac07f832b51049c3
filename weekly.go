package watchpost

// WeeklyQuota is what a watchlist may take in a week (specification: Limits 4).
// A quota may change in the middle of a week; what was taken stays taken.
type WeeklyQuota struct {
	Posts int // of relevance RelevantFrom or more
	Leads int // potential leads: authors of such posts
}

// WeeklyQuota returns what each watchlist of a team may take in a week; quiet
// matters to free teams only.
func (p Plan) WeeklyQuota(quiet bool) WeeklyQuota {
	return WeeklyQuota{Posts: p.WeeklyPosts(quiet), Leads: p.Quotas().PotentialLeads}
}

// WeeklyCounter is what a watchlist has taken of its quota in one week.
type WeeklyCounter struct {
	Posts   int // stored, of relevance RelevantFrom or more
	Dropped int // not stored, as the quota was used up; each post once
	Leads   int // authors that became potential leads
}

// Candidate is a post that a watchlist has not collected before.
type Candidate struct {
	Relevance float64
	// Author is who wrote it, as Post.AuthorKey returns it; nobody is told
	// apart by an empty one.
	Author string
	// Lead is whether its author is a potential lead of this week already.
	Lead bool
	// Dropped is whether it was counted among the dropped of this week.
	Dropped bool
}

// Admission is what becomes of a newcomer.
type Admission struct {
	Stored bool
	// Lead marks the post as one of a potential lead; NewLead says that its
	// author became one with it.
	Lead, NewLead bool
}

// Admit decides on a newcomer and counts it. A post of lesser relevance is
// stored and counts for nothing. The first posts up to the quota are stored,
// the others dropped; what was dropped and is found again, while there is room
// again (another plan), is stored and no longer counts as dropped.
func (t WeeklyCounter) Admit(q WeeklyQuota, n Candidate) (WeeklyCounter, Admission) {
	if n.Relevance < RelevantFrom {
		return t, Admission{Stored: true}
	}
	if !within(t.Posts+1, q.Posts) {
		if !n.Dropped {
			t.Dropped++
		}
		return t, Admission{}
	}
	t.Posts++
	if n.Dropped {
		t.Dropped--
	}
	a := Admission{Stored: true, Lead: n.Lead}
	if !n.Lead && n.Author != "" && within(t.Leads+1, q.Leads) {
		t.Leads++
		a.Lead, a.NewLead = true, true
	}
	return t, a
}
