package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// client sends requests as users do, and records the replies.
func (d *crashTest) client(random *rand.Rand, number int, stop <-chan struct{}) {
	var own []string // the client's own watchlists
	var tasks []string
	var writes []*write
	attempts := 0
	for step := 0; ; step++ {
		d.truth.mu.Lock()
		up := d.up
		d.truth.mu.Unlock()
		select {
		case <-stop:
			return
		case <-up:
		}
		d.moving.RLock()
		switch choice := random.IntN(100); {
		case choice < 8 && attempts < maxAttempts:
			attempts++
			own = d.createWatchlist(own, fmt.Sprintf("client %d step %d", number, step))
		case choice < 12 && len(own) > 0:
			d.renameWatchlist(own[random.IntN(len(own))], fmt.Sprintf("client %d step %d", number, step))
		case choice < 15 && len(own) > 3:
			d.deleteWatchlist(own[0])
			own = own[1:]
		case choice < 25 && len(tasks) < 25:
			tasks = d.createTask(tasks)
		case choice < 40:
			writes = d.write(random, writes)
		case choice < 70 && len(tasks) > 0:
			d.poll(tasks[random.IntN(len(tasks))])
		default:
			status, body := d.request("GET", "/api-posts?page_size=5", nil)
			d.expect(status, http.StatusOK, body)
		}
		d.moving.RUnlock()
	}
}

func (d *crashTest) createWatchlist(own []string, name string) []string {
	status, body := d.request("POST", "/api-keyword-watchlist", map[string]any{"name": name, "keywords": []string{"hiring " + name}})
	if !d.expect(status, http.StatusOK, body) {
		return own
	}
	id := field(body, "id")
	d.truth.mu.Lock()
	defer d.truth.mu.Unlock()
	d.truth.watchlists[id] = name
	return append(own, id)
}

// renameWatchlist records the new name only after a reply. A request without a
// reply may or may not have been applied, so its watchlist is no longer
// checked.
func (d *crashTest) renameWatchlist(id, name string) {
	status, body := d.request("PUT", "/api-keyword-watchlist", map[string]any{"id": id, "name": name})
	d.truth.mu.Lock()
	defer d.truth.mu.Unlock()
	if d.expectLocked(status, http.StatusOK, body) {
		d.truth.watchlists[id] = name
	} else {
		delete(d.truth.watchlists, id)
	}
}

func (d *crashTest) deleteWatchlist(id string) {
	status, body := d.request("DELETE", "/api-keyword-watchlist?id="+id, nil)
	d.truth.mu.Lock()
	defer d.truth.mu.Unlock()
	if d.expectLocked(status, http.StatusOK, body) {
		d.truth.watchlists[id] = ""
	} else {
		delete(d.truth.watchlists, id)
	}
}

func (d *crashTest) createTask(tasks []string) []string {
	status, body := d.request("POST", "/network-agent/fetch-profile", map[string]string{"profile_slug": "crash-0"})
	if !d.expect(status, http.StatusOK, body) {
		return tasks
	}
	id := field(body, "api_agent_task_id")
	d.truth.mu.Lock()
	defer d.truth.mu.Unlock()
	d.truth.tasks[id] = nil
	return append(tasks, id)
}

// poll reads an acknowledged task: it must exist, and its output must not
// change after completion.
func (d *crashTest) poll(id string) (final bool) {
	status, body := d.request("GET", "/network-agent/get-task-status?api_agent_task_id="+id, nil)
	if !d.expect(status, http.StatusOK, body) {
		return false
	}
	var reply struct {
		Data struct {
			Status string
			Output json.RawMessage `json:"task_output"`
		}
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		d.t.Errorf("task %s: %v: %s", id, err, body)
		return false
	}
	d.truth.mu.Lock()
	defer d.truth.mu.Unlock()
	seen := d.truth.tasks[id]
	switch {
	case reply.Data.Status == "pending" && seen != nil:
		d.t.Errorf("task %s was final and is pending again", id)
	case reply.Data.Status == "failed":
		d.t.Errorf("task %s failed: %s", id, reply.Data.Output)
	case reply.Data.Status == "completed" && seen == nil:
		d.truth.tasks[id] = reply.Data.Output
	case reply.Data.Status == "completed" && !bytes.Equal(seen, reply.Data.Output):
		d.t.Errorf("task %s: output changed from %s to %s", id, seen, reply.Data.Output)
	}
	return reply.Data.Status != "pending"
}

var client = &http.Client{Timeout: process.Patience, Transport: &http.Transport{DisableKeepAlives: true}}

// request makes one request with the team's key; status 0 means no answer.
func (d *crashTest) request(method, path string, body any) (status int, answer []byte) {
	return d.send(method, path, http.Header{"X-Api-Key": {d.key}}, body)
}

func (d *crashTest) admin(path string, body, reply any) {
	d.t.Helper()
	status, answer := d.send("POST", path, http.Header{"Authorization": {"Bearer operator-of-the-crash-test"}}, body)
	require.Less(d.t, status, 300, "%s: %s", path, answer)
	require.NotZero(d.t, status, path)
	if reply != nil {
		require.NoError(d.t, json.Unmarshal(answer, reply))
	}
}

// send makes one request to the service.
func (d *crashTest) send(method, path string, header http.Header, body any) (status int, answer []byte) {
	return d.sendTo(d.url, method, path, header, body)
}

func (d *crashTest) sendTo(base, method, path string, header http.Header, body any) (status int, answer []byte) {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			panic(err) // the test's own bodies
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, base+path, content)
	if err != nil {
		panic(err)
	}
	maps.Copy(request.Header, header)
	response, err := client.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, answer
}
