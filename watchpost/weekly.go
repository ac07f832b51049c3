package watchpost

// WeeklyQuota is the weekly quota of a watchlist
// (api.md#weekly-posts-and-leads). It may change in the middle of a week; posts
// already stored stay.
type WeeklyQuota struct {
	Posts int // of relevance RelevantFrom or more
	Leads int // potential leads: authors of such posts
}

// WeeklyQuota returns the weekly quota of a team's watchlists. quiet affects
// free teams only.
func (p Plan) WeeklyQuota(quiet bool) WeeklyQuota {
	return WeeklyQuota{Posts: p.WeeklyPosts(quiet), Leads: p.Quotas().PotentialLeads}
}

// WeeklyCounter counts the use of a watchlist's quota in one week.
type WeeklyCounter struct {
	Posts   int // stored, of relevance RelevantFrom or more
	Dropped int // not stored because the quota was used up; each post once
	Leads   int // authors who became potential leads
}

// Candidate is a post that a watchlist has not collected before.
type Candidate struct {
	Relevance float64
	// Author is the post's author as returned by Post.AuthorKey; authors
	// without a key are not distinguished.
	Author string
	// Lead reports whether the author is already a potential lead of this week.
	Lead bool
	// Dropped reports whether the post is already counted as dropped this week.
	Dropped bool
}

// Admission is the decision on a candidate.
type Admission struct {
	Stored bool
	// Lead means that the post is by a potential lead; NewLead means that its
	// author becomes one with this post.
	Lead, NewLead bool
}

// Admit decides on a candidate and counts it. A post below RelevantFrom is
// stored and does not count. Relevant posts are stored up to the quota, then
// dropped. A dropped post that is found again is stored if the quota (for
// example of another plan) has room, and no longer counts as dropped.
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
