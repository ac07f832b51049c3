package mcp

import (
	"net/url"
	"strconv"

	"watchpost/watchpost"
)

var taskStatuses = []string{"pending", "completed", "failed"}

// taskTypes are the types of tasks that are asked for.
func taskTypes() (names []string) {
	for _, t := range watchpost.JournalTypes() {
		names = append(names, string(t))
	}
	return names
}

// listedTask is what the tools show of a task in a list. Names that a request took from
// the network stay in its input, which get_task shows.
type listedTask struct {
	ID        string `json:"task_id"`
	Type      string `json:"task_type"`
	Status    string `json:"status"`
	CreatedAt string `json:"created_at"`
	EndedAt   string `json:"completed_at,omitempty"`
	Waits     string `json:"waits_for,omitempty"`
	Code      string `json:"error_code,omitempty"`
}

func listTasks(c *call) (result, error) {
	q := query(c.only("status", "task_type", "since", "page"))
	size := c.number("page_size", 1, pageSize, maxPageSize)
	q.Set("page_size", strconv.Itoa(size))
	var reply struct {
		Data []struct {
			apiTask
			Type        string `json:"task_type"`
			CreatedAt   string `json:"created_at"`
			CompletedAt string `json:"completed_at"`
		}
		Count int
	}
	if err := c.get("/api-tasks", q, &reply); err != nil {
		return result{}, err
	}
	list := make([]listedTask, len(reply.Data))
	for i := range reply.Data {
		t := &reply.Data[i]
		list[i] = listedTask{ID: t.ID, Type: t.Type, Status: t.Status, CreatedAt: t.CreatedAt, EndedAt: t.CompletedAt}
		switch t.Status {
		case "pending":
			list[i].Waits = waitingWords(t.Reason, t.NotBefore)
		case "failed":
			list[i].Code = t.failure().Error.Code
		}
	}
	return result{note: c.pageNote("tasks", reply.Count, len(list), size), data: list}, nil
}

func cancelTask(c *call) (result, error) {
	var reply struct{ Data apiTask }
	if err := c.send("DELETE", "/api-tasks?id="+url.QueryEscape(c.text("task_id")), nil, &reply); err != nil {
		return result{}, err
	}
	return showTask(&reply.Data)
}
