package mcp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// member is the argument that names who acts.
var member = param{name: "user_email", kind: text, about: "the member in whose name; get_team lists them"}

var lookups = map[string]struct{ path, field string }{
	"profile":          {"fetch-profile", "profile_slug"},
	"company":          {"fetch-company", "company_slug"},
	"posts_of_people":  {"fetch-profiles-posts", "profile_urns"},
	"posts_of_company": {"fetch-company-posts", "company_slug"},
}

var taskTools = []tool{
	{
		name: "look_up", title: "Look up people and companies", does: looksUp,
		routes: []string{"POST /network-agent/fetch-profile"},
		about:  "Have a member's browser read a profile, a company, or their latest posts, and wait for it. Counts on a daily allowance.",
		params: []param{
			{name: "what", kind: text, allowed: []string{"profile", "company", "posts_of_people", "posts_of_company"}, required: true},
			{name: "of", kind: list, about: "slug, URL or URN; up to 50 for posts_of_people", required: true},
			waitParam,
		},
		run: lookUp,
	},
	{
		name: "search_people", title: "Search people", does: looksUp,
		routes: []string{"POST /network-agent/search-profiles"},
		about:  "Search the network for people and wait for it; at least one filter. With connections: a member's connections, by keywords.",
		params: []param{
			{name: "keywords", kind: text}, {name: "title", kind: text}, {name: "company", kind: text}, {name: "first_name", kind: text},
			{name: "last_name", kind: text}, {name: "school", kind: text}, {name: "location", kind: text},
			{name: "count", kind: number, about: "1 to 50, default 10"},
			{name: "connections", kind: flag},
			member, waitParam,
		},
		run: searchPeople,
	},
	{
		name: "get_task", title: "Wait for a task", does: reads, routes: []string{"GET /network-agent/get-task-status"},
		about:  "Show a task with its result; waits until it has ended or the time is over.",
		params: []param{{name: "task_id", kind: text, required: true}, waitParam},
		run:    func(c *call) (result, error) { return c.awaitTask(c.text("task_id")) },
	},
	{
		name: "list_tasks", title: "List tasks", does: reads, routes: []string{"GET /api-tasks"},
		about: "List the tasks that were asked for, newest first, without their results.",
		params: []param{
			{name: "status", kind: text, allowed: taskStatuses},
			{name: "task_type", kind: list, allowed: taskTypes()},
			{name: "since", kind: text, about: "asked for at or after this day or moment"},
			pageParam, pageSizeParam,
		},
		run: listTasks,
	},
	{
		name: "cancel_task", title: "Cancel a task", does: removes, routes: []string{"DELETE /api-tasks"},
		about:  "Cancel a task that no browser has begun; its allowance is given back. One that is being done or has ended stays.",
		params: []param{{name: "task_id", kind: text, required: true}},
		run:    cancelTask,
	},
}

func lookUp(c *call) (result, error) {
	kind := lookups[c.text("what")]
	of, _ := c.args["of"].([]any)
	body := map[string]any{kind.field: of}
	if kind.field != "profile_urns" {
		if len(of) != 1 {
			return result{}, &advice{Text: fmt.Sprintf("'of' takes one value for %s.", c.text("what")), Next: "Call once for each."}
		}
		body[kind.field] = of[0]
	}
	return c.runTask("/network-agent/"+kind.path, body)
}

func searchPeople(c *call) (result, error) {
	const count = 10
	if c.flag("connections") {
		body := c.only("user_email")
		body["count"] = c.number("count", 1, count, maxPageSize)
		if c.given("keywords") {
			body["keyword"] = c.text("keywords")
		}
		return c.runTask("/network-agent/fetch-connections", body)
	}
	body := c.only("keywords", "title", "company", "first_name", "last_name", "school", "location", "user_email")
	body["count"] = c.number("count", 1, count, maxPageSize)
	return c.runTask("/network-agent/search-profiles", body)
}

// runTask creates a task and waits for it.
func (c *call) runTask(path string, body map[string]any) (result, error) {
	var made struct {
		ID   string `json:"api_agent_task_id"`
		Task string `json:"task_id"` // of likes and comments
	}
	if err := c.send("POST", path, body, &made); err != nil {
		return result{}, err
	}
	return c.awaitTask(made.ID + made.Task)
}

// task is what the tools show of a task.
type task struct {
	ID        string         `json:"task_id"`
	Type      any            `json:"task_type,omitempty"`
	Status    string         `json:"status"`
	Waits     string         `json:"waits_for,omitempty"`
	NotBefore string         `json:"not_before,omitempty"`
	Failure   *taskFailure   `json:"failure,omitempty"`
	Done      map[string]any `json:"done,omitempty"`
	Foreign   any            `json:"content_of_others,omitempty"`
}

type taskFailure struct {
	Code      string `json:"code"`
	RetrySafe bool   `json:"retry_safe"`
	Next      string `json:"next"`
}

type apiTask struct {
	ID        string          `json:"id"`
	Status    string          `json:"status"`
	Input     map[string]any  `json:"task_input"`
	Output    json.RawMessage `json:"task_output"`
	Reason    string          `json:"pending_reason"`
	NotBefore string          `json:"not_before"`
}

// failedOutput is the output of a task that failed.
type failedOutput struct {
	Error     struct{ Code, Message string }
	RetrySafe bool `json:"retry_safe"`
}

// failure reads the output of a task that failed; one that is missing says nothing.
func (t *apiTask) failure() (output failedOutput) {
	_ = json.Unmarshal(t.Output, &output) // the API wrote it
	return output
}

// awaitTask waits for a task.
func (c *call) awaitTask(id string) (result, error) {
	var reply struct{ Data apiTask }
	err := c.await("waiting for the task", func(wait time.Duration) (string, bool, error) {
		q := url.Values{"api_agent_task_id": {id}, "wait": {strconv.Itoa(int(wait.Seconds()))}}
		reply.Data = apiTask{}
		err := c.get("/network-agent/get-task-status", q, &reply)
		return waitingWords(reply.Data.Reason, reply.Data.NotBefore), reply.Data.Status != "pending", err
	})
	if err != nil {
		return result{}, afterTask(err, id)
	}
	return showTask(&reply.Data)
}

// afterTask tells of the task that goes on when its wait has failed.
func afterTask(err error, id string) error {
	if a, ok := err.(*advice); ok { //nolint:errorlint // as the client makes it
		return &advice{Text: a.Text, Allowed: a.Allowed, Next: a.Next + " The task " + id + " goes on: get_task.", Details: a.Details}
	}
	return err
}

func waitingWords(reason, notBefore string) string {
	words := map[string]string{
		"running": "a browser is doing it", "queued": "queued", "daily_cap": "the daily allowance is used up", "weekly_cap": "the week's invitations are used up",
		"extension_offline": "no browser of a member is connected", "paused": "the account is paused", "member_pace": "outside of the member's hours or pace",
		"member_asked": "the member is asked to allow it",
	}
	said := words[reason]
	if said == "" {
		said = "waiting: " + reason
	}
	if notBefore != "" {
		said += ", not before " + notBefore
	}
	return said
}

// showTask shows a task. Its output is of the network, apart from flags and numbers of a
// write.
func showTask(t *apiTask) (result, error) {
	shown := task{ID: t.ID, Status: t.Status, NotBefore: t.NotBefore, Type: t.Input["task_type"]}
	switch t.Status {
	case "pending":
		shown.Waits = waitingWords(t.Reason, "")
		return result{note: "The task waits. It goes on without you: get_task shows it later.", data: shown}, nil
	case "failed":
		output := t.failure()
		next := "It may have happened. Do not repeat it; get_journal shows what is known."
		if output.RetrySafe {
			next = "Nothing was done. It may be asked for again when the cause is gone."
		}
		shown.Failure = &taskFailure{output.Error.Code, output.RetrySafe, next}
		shown.Foreign = map[string]any{"failure": foreign(output.Error.Message)} // it may quote a page
		return result{data: shown, foreign: true}, nil
	}
	var output map[string]any
	if err := json.Unmarshal(t.Output, &output); err != nil {
		return result{}, fmt.Errorf("read the output of task %s: %w", t.ID, err)
	}
	shown.Foreign = foreignOutput(output)
	return result{data: shown, foreign: true}, nil
}

// foreignOutput shortens and cleans the output of a task.
func foreignOutput(output map[string]any) any {
	delete(output, "profile") // says again what the other fields say
	if posts, ok := output["posts"].([]any); ok {
		for _, one := range posts {
			p, isPost := one.(map[string]any)
			if !isPost {
				continue
			}
			for name, value := range p {
				if s, isText := value.(string); isText && name == "content" {
					p[name] = cut(s, maxShort)
				}
				if value == nil || value == "" || name == "author_image_url" || name == "image_url" || name == "image_urls" || name == "tagDescriptions" {
					delete(p, name)
				}
			}
		}
	}
	return foreignValue(output)
}
