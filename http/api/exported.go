package api

import (
	"watchpost/actors"
	"watchpost/actors/triage"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

type exportedWatchlist struct {
	keywordWatchlistDetail
	List watchpost.ListID `json:"list_id,omitempty"`
}

type exportedTask struct {
	Type      watchpost.TaskType `json:"task_type"`
	CreatedAt endpoint.Timestamp `json:"created_at"`
	taskStatus
}

type exportedInteraction struct {
	ID        watchpost.TaskID          `json:"id"`
	Text      string                    `json:"text"`
	Kind      watchpost.InteractionKind `json:"interaction_type"`
	CreatedAt endpoint.Timestamp        `json:"created_at"`
	Author    interactionAuthor         `json:"author"`
	PostURN   string                    `json:"network_post_urn"`
}

type exportedView struct {
	ID        watchpost.ViewID   `json:"id"`
	Name      string             `json:"name"`
	Query     string             `json:"query"`
	By        watchpost.MemberID `json:"saved_by"`
	CreatedAt endpoint.Timestamp `json:"created_at"`
}

// exportedTriage is what a member has decided about a post, or without one before which
// moment posts without a decision are done.
type exportedTriage struct {
	Member     watchpost.MemberID    `json:"member_id"`
	Post       watchpost.PostID      `json:"post_id,omitempty"`
	State      watchpost.TriageState `json:"state,omitempty"`
	DoneBefore *endpoint.Timestamp   `json:"done_before,omitempty"`
}

type exportedAssignment struct {
	Post   watchpost.PostID   `json:"post_id"`
	Member watchpost.MemberID `json:"member_id"`
	Note   string             `json:"note"`
	By     watchpost.MemberID `json:"changed_by"`
	At     endpoint.Timestamp `json:"changed_at"`
}

// Exported returns the kind of a record and how an export shows it, as the resources of
// the API do.
func Exported(record any) (kind string, shown any) {
	switch r := record.(type) {
	case watchpost.Watchlist:
		return "watchlist", exportedWatchlist{shownKeywordWatchlist(actors.WatchlistView{Watchlist: r}), r.List}
	case actors.ExportedRule:
		return "rule", showRuleSettings(&r.Rule, r.Members)
	case watchpost.RuleAction:
		return "rule_action", showAction(&r)
	case watchpost.ScopedKey:
		return "key", showKeySettings(&r)
	case watchpost.NotificationTarget:
		return "notification_target", showTargetSettings(&r)
	case watchpost.SavedView:
		return "saved_view", exportedView{r.ID, r.Name, r.Query, r.By, endpoint.TimestampOf(r.CreatedAt)}
	case triage.Kept:
		return "triage", exportedTriage{r.Member, r.Post, r.State, endpoint.TimestampOrNil(r.DoneBefore)}
	case watchpost.PostAssignment:
		return "assignment", exportedAssignment{r.Post.ID, r.Member, r.Note, r.By, endpoint.TimestampOf(r.At)}
	case actors.TaskView:
		return "task", exportedTask{r.Type, endpoint.TimestampOf(r.CreatedAt), shownTask(r)}
	case watchpost.Interaction:
		a := r.Author
		return "interaction", exportedInteraction{r.ID, r.Text, r.Kind, endpoint.TimestampOf(r.At), interactionAuthor{a.ID, a.FullName, a.Slug, a.Headline, a.Type}, r.URN}
	case actors.ExportedPost:
		return "post", shownPost(r.Post, r.Tagging.Live, r.Tagging)
	}
	panic("an export of another record")
}
