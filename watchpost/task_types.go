package watchpost

import (
	"encoding/json"
	"fmt"
	"slices"
)

// TaskType names a kind of work that a session does on the network, as the API
// (task_input.task_type) and the session protocol spell it.
type TaskType string

// The agent tasks, which callers create, and the scans, which watchlists
// create.
const (
	TaskProfileFetch      TaskType = "agent_profile_fetch"
	TaskCompanyFetch      TaskType = "agent_company_fetch"
	TaskProfilesPosts     TaskType = "agent_profiles_posts_fetch"
	TaskCompanyPosts      TaskType = "agent_company_posts_fetch"
	TaskProfilesSearch    TaskType = "agent_profiles_search"
	TaskLikePost          TaskType = "agent_like_post"
	TaskCommentPost       TaskType = "agent_comment_post"
	TaskSendMessage       TaskType = "agent_send_message"
	TaskConnectionRequest TaskType = "agent_send_connection_request"
	TaskWithdrawal        TaskType = "agent_withdraw_invitation"
	TaskConnectionsFetch  TaskType = "agent_connections_fetch"

	TaskKeywordScan TaskType = "keyword_scan"
	TaskPeopleScan  TaskType = "people_scan"
	TaskCompanyScan TaskType = "company_scan"
	TaskForumScan   TaskType = "forum_scan"
)

// taskTypeRow is what the service knows of a task type. Everything else follows
// from it, except the endpoint (a row of package http) and the work itself (a
// file of each session).
type taskTypeRow struct {
	name   TaskType
	action Action // the allowance that it debits; ActionNone for none
	scan   bool   // collects posts for a watchlist
	own    bool   // a read whose answer depends on the account
	write  *taskWrite
	// input is the shape of the input that a session gets. lease makes that input
	// of the request's fields, where they differ; nil where they do not.
	input any
	lease func(request json.RawMessage) json.RawMessage
	// output makes an empty output; nil for scans, whose posts are stored. Decoding
	// into it and encoding again fills missing fields with "", 0 and [], and drops
	// unknown ones.
	output func() any
	// page is the kind of page on which a session begins. It is the page of the
	// person, company or post that the first of subject names.
	page TaskPage
	// subject are the fields of the input that name its subject, the most telling first;
	// text is the field with the written text, if there is one.
	subject []string
	text    string
	// title is for people, titlePost is the title if it is about a post of the team.
	// icon is that of the dashboard, symbol that of the extension.
	title, titlePost, icon, symbol string
}

// taskWrite is what the service knows of a write.
type taskWrite struct {
	on object // what the write changes; objectNone if nothing keeps account of it
	// once means that its effect must not happen twice: the ledger of effects has it.
	once bool
	// undoes is the type whose effect a write of this type ends; "" for none.
	undoes TaskType
	// shown means that the page alone shows whether the write is done, so that a
	// session that repeats it cannot do it twice.
	shown bool
	// needless is the error code of a write that the page shows as done before its
	// session began; "" if that is as good as done.
	needless string
}

// object is what a write changes.
type object uint8

const (
	objectNone object = iota
	objectPost
	objectPerson
)

// TaskPage is a kind of page of the network.
type TaskPage string

// The pages on which tasks begin. PageAny is any page of the signed-in account.
const (
	PageAny     TaskPage = ""
	PageMember  TaskPage = "member"
	PageCompany TaskPage = "company"
	PagePost    TaskPage = "post"
	PageThread  TaskPage = "thread"
)

// taskTypes is the table of task types: those of callers in the order of a menu,
// then the scans. Reads run at least once, on any account of the team unless own is
// set. Writes run at most once, on the account of the member in whose name they act.
var taskTypes = []taskTypeRow{
	{
		name: TaskLikePost, action: ActionLike, write: &taskWrite{on: objectPost, once: true, shown: true},
		input: LikeInput{}, output: func() any { return &likedOutput{} },
		page: PagePost, subject: []string{"social_urn"},
		title: "Like", titlePost: "Like a post", icon: "heart", symbol: "like",
	},
	{
		name: TaskCommentPost, action: ActionComment, write: &taskWrite{on: objectPost},
		input: CommentInput{}, output: func() any { return &commentedOutput{} },
		page: PagePost, subject: []string{"social_urn"}, text: "comment_text",
		title: "Comment", titlePost: "Comment on a post", icon: "comment", symbol: "comment",
	},
	{
		name: TaskConnectionRequest, action: ActionInvitation, write: &taskWrite{on: objectPerson, once: true, shown: true},
		input: InvitationInput{}, lease: leasedInvitation, output: func() any { return &sentOutput{} },
		page: PageMember, subject: []string{"profile_urn"}, text: "note",
		title: "Invitation", icon: "users", symbol: "invite",
	},
	{
		name: TaskWithdrawal, action: ActionNone,
		write: &taskWrite{on: objectPerson, undoes: TaskConnectionRequest, shown: true, needless: failNotInvited},
		input: WithdrawalInput{}, lease: leasedWithdrawal, output: func() any { return &withdrawnOutput{} },
		page: PageMember, subject: []string{"profile_urn", "profile_url"},
		title: "Withdraw an invitation", icon: "users", symbol: "invite",
	},
	{
		name: TaskSendMessage, action: ActionMessage, write: &taskWrite{},
		input: MessageInput{}, output: func() any { return &sentOutput{} },
		page: PageThread, subject: []string{"recipient_urn"}, text: "message",
		title: "Message", icon: "mail", symbol: "message",
	},
	{
		name: TaskProfileFetch, action: ActionProfileFetch,
		input: ProfileInput{}, output: func() any { return &profileOutput{} },
		page: PageMember, subject: []string{"profile_slug"},
		title: "Fetch a profile", icon: "person", symbol: "person",
	},
	{
		name: TaskCompanyFetch, action: ActionCompanyFetch,
		input: CompanyInput{}, output: func() any { return &companyOutput{} },
		page: PageCompany, subject: []string{"company_slug"},
		title: "Fetch a company", icon: "building", symbol: "company",
	},
	{
		name: TaskProfilesPosts, action: ActionPeopleScan,
		input: ProfilesPostsInput{}, output: func() any { return &postsOutput{} },
		subject: []string{"profile_urns"},
		title:   "Fetch posts of profiles", icon: "person", symbol: "posts",
	},
	{
		name: TaskCompanyPosts, action: ActionCompanyScan,
		input: CompanyInput{}, output: func() any { return &postsOutput{} },
		page: PageCompany, subject: []string{"company_slug"},
		title: "Fetch posts of a company", icon: "building", symbol: "posts",
	},
	{
		name: TaskProfilesSearch, action: ActionProfileSearch, own: true,
		input: SearchInput{}, lease: leasedSearch, output: func() any { return &profilesOutput{} },
		subject: []string{"keywords", "title", "company"},
		title:   "Search profiles", icon: "search", symbol: "search",
	},
	{
		name: TaskConnectionsFetch, action: ActionProfileSearch, own: true,
		input: ConnectionsInput{}, output: func() any { return &connectionsOutput{} },
		subject: []string{"keyword"},
		title:   "Fetch connections", icon: "users", symbol: "people",
	},
	{
		name: TaskKeywordScan, action: ActionKeywordScan, scan: true, input: ScanInput{},
		subject: []string{"keyword"}, title: "Search posts", icon: "hash", symbol: "search",
	},
	{
		name: TaskPeopleScan, action: ActionPeopleScan, scan: true, input: ScanInput{},
		page: PageMember, subject: []string{"profile"}, title: "Look for posts of a person", icon: "person", symbol: "posts",
	},
	{
		name: TaskCompanyScan, action: ActionCompanyScan, scan: true, input: ScanInput{},
		page: PageCompany, subject: []string{"company"}, title: "Look for posts of a company", icon: "building", symbol: "posts",
	},
	{
		name: TaskForumScan, action: ActionNone, scan: true, input: ScanInput{},
		subject: []string{"keyword"}, title: "Search the forum", icon: "forum", symbol: "search",
	},
}

// taskTypesByName finds the row of a type.
var taskTypesByName = func() map[TaskType]*taskTypeRow {
	byName := make(map[TaskType]*taskTypeRow, len(taskTypes))
	for i := range taskTypes {
		row := &taskTypes[i]
		if byName[row.name] != nil {
			panic(fmt.Sprintf("two rows of the task type %s", row.name))
		}
		byName[row.name] = row
	}
	return byName
}()

// row returns the row of a type. A type of no row has nothing that a row says.
func (t TaskType) row() *taskTypeRow {
	if row := taskTypesByName[t]; row != nil {
		return row
	}
	return &taskTypeRow{}
}

// TaskTypes returns all task types, in the order of the table.
func TaskTypes() []TaskType { return taskTypesWhere(func(*taskTypeRow) bool { return true }) }

// JournalTypes are the task types that the journal has, those of callers, in the
// order of a menu.
func JournalTypes() []TaskType {
	return taskTypesWhere(func(row *taskTypeRow) bool { return !row.scan })
}

// TaskTypesOf returns the task types that debit an action, by name.
func TaskTypesOf(a Action) []TaskType {
	kinds := taskTypesWhere(func(row *taskTypeRow) bool { return a != ActionNone && row.action == a })
	slices.Sort(kinds)
	return kinds
}

// WriteTypes returns the task types that change something on the network.
func WriteTypes() []TaskType {
	return taskTypesWhere(func(row *taskTypeRow) bool { return row.write != nil })
}

func taskTypesWhere(holds func(*taskTypeRow) bool) (kinds []TaskType) {
	for i := range taskTypes {
		if holds(&taskTypes[i]) {
			kinds = append(kinds, taskTypes[i].name)
		}
	}
	return kinds
}

// Known reports whether t is a task type.
func (t TaskType) Known() bool { return taskTypesByName[t] != nil }

// Action returns the action whose allowance the task type debits.
func (t TaskType) Action() Action { return t.row().action }

// Scan reports whether a task of this type collects posts for a watchlist.
func (t TaskType) Scan() bool { return t.row().scan }

// Writes reports whether a task of this type changes something on the network.
func (t TaskType) Writes() bool { return t.row().write != nil }

// OfMember reports whether a task of this type runs on the account of one
// member, because it acts in a member's name or its answer depends on the
// account.
func (t TaskType) OfMember() bool { return t.Writes() || t.row().own }

// writing returns what the table says of a write, and nothing for other types.
func (t TaskType) writing() taskWrite {
	if w := t.row().write; w != nil {
		return *w
	}
	return taskWrite{}
}

// OnPost reports whether a task of this type changes a post: a like or a comment.
func (t TaskType) OnPost() bool { return t.writing().on == objectPost }

// PageDecides reports whether the page alone shows that a write of this type is
// done, so that a session that repeats it cannot do it twice.
func (t TaskType) PageDecides() bool { return t.writing().shown }

// Needless returns the error code of a write that the page shows as done before its
// session began; "" if that is as good as done.
func (t TaskType) Needless() string { return t.writing().needless }

// Title says what a task of this type does, for people.
func (t TaskType) Title() string {
	if title := t.row().title; title != "" {
		return title
	}
	return string(t)
}

// TitlePost is the Title of a task that is about a post of the team.
func (t TaskType) TitlePost() string {
	if title := t.row().titlePost; title != "" {
		return title
	}
	return t.Title()
}

// Icon names the icon of the task type.
func (t TaskType) Icon() string { return t.row().icon }

// TaskOutputShape returns an empty output of a task type, for the API document,
// or nil for types without an output.
func TaskOutputShape(t TaskType) any {
	if shape := t.row().output; shape != nil {
		return shape()
	}
	return nil
}
