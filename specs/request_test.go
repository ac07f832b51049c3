package specs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// reply is the answer to a request, or a frame that a session received.
type reply struct {
	who, method, path string
	sent              []byte
	extra             []string // headers from the script

	status int
	header http.Header
	body   []byte
	value  any // the body as JSON; nil if it is not JSON
	isJSON bool
}

// object makes a JSON object of names and values.
func object(pairs ...string) []byte {
	o := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		o[pairs[i]] = pairs[i+1]
	}
	raw, _ := json.Marshal(o) // strings can always be encoded
	return raw
}

// unknownKey has the form of a key and belongs to no team.
const unknownKey = "wp_00000000000000000000000000000000"

// asCommand sends a request as a caller and stores the reply.
func (w *world) asCommand(args []string) error {
	if len(args) < 3 {
		return usage("as WHO METHOD PATH [BODY] [-H 'Name: value']…")
	}
	var body []byte
	var extra []string
	for rest := args[3:]; len(rest) > 0; rest = rest[1:] {
		if rest[0] == "-H" && len(rest) > 1 {
			extra, rest = append(extra, rest[1]), rest[1:]
			continue
		}
		if body != nil {
			return errors.New("two bodies")
		}
		var err error
		if body, err = w.bodyOf(rest[0]); err != nil {
			return err
		}
	}
	r, err := w.request(args[0], args[1], args[2], body, extra...)
	w.last = r
	return err
}

// bodyOf returns the body for an argument: the text itself, @FILE of the
// archive, or bytes:N, a JSON object of exactly N bytes.
func (w *world) bodyOf(arg string) ([]byte, error) {
	if name, ok := strings.CutPrefix(arg, "@"); ok {
		content, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
		return []byte(w.expand(string(content))), err
	}
	if size, ok := strings.CutPrefix(arg, "bytes:"); ok {
		n, err := strconv.Atoi(size)
		const frame = len(`{"pad":""}`)
		return []byte(`{"pad":"` + strings.Repeat("x", max(n-frame, 0)) + `"}`), err
	}
	return []byte(arg), nil
}

// request sends one request. A reply of the service is checked against its
// OpenAPI document and the general rules.
func (w *world) request(who, method, path string, body []byte, extra ...string) (*reply, error) {
	r := &reply{who: who, method: method, path: path, sent: body, extra: extra}
	base := w.anyURL()
	if who == "network" {
		base = w.networkURL
	}
	if strings.HasPrefix(path, "http://") {
		base = "" // another address of the service
	} else if base == "" {
		return r, errors.New("nobody is there to be asked: start it first")
	}
	request, err := http.NewRequest(method, base+path, bytes.NewReader(body))
	if err != nil {
		return r, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if err := w.introduce(request, who); err != nil {
		return r, err
	}
	for _, line := range extra {
		name, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); value == "" {
			request.Header.Del(name)
		} else {
			request.Header.Set(name, value)
		}
	}
	response, err := w.client.Do(request)
	if err != nil {
		return r, err
	}
	defer response.Body.Close()
	if r.body, err = io.ReadAll(response.Body); err != nil {
		return r, err
	}
	r.status, r.header = response.StatusCode, response.Header
	r.parse()
	if who == "network" {
		return r, nil
	}
	w.logs.learnReply(r)
	return r, w.checkReply(r)
}

// introduce sets the header that identifies the caller.
func (w *world) introduce(request *http.Request, who string) error {
	switch key, known := w.keys[who]; {
	case known:
		request.Header.Set("x-api-key", key)
	case who == "stranger":
		request.Header.Set("x-api-key", unknownKey)
	case who == "operator":
		request.Header.Set("Authorization", "Bearer "+operatorToken)
	case who != "nobody" && who != "network":
		return fmt.Errorf("who is %q? Name a team, or one of nobody, stranger, operator, network", who)
	}
	return nil
}

func (r *reply) parse() {
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.UseNumber()
	r.isJSON = decoder.Decode(&r.value) == nil
}

// checkReply checks the general rules for all replies.
func (w *world) checkReply(r *reply) error {
	if r.header.Get("X-Request-Id") == "" {
		return fmt.Errorf("a reply without X-Request-Id\n%s", r)
	}
	for _, name := range []string{"X-Powered-By", "Server-Timing", "Server"} {
		if r.header.Get(name) != "" {
			return fmt.Errorf("a reply with the header %s\n%s", name, r)
		}
	}
	page := r.path == "/docs" || strings.HasPrefix(r.path, "/docs/") || r.path == "/extension/removed" || strings.HasSuffix(r.path, "/metrics") || r.header.Get("Content-Type") == "application/x-ndjson" || strings.HasPrefix(r.header.Get("Content-Type"), "text/csv;")
	if kind := r.header.Get("Content-Type"); !page && kind != "application/json; charset=utf-8" {
		return fmt.Errorf("a reply of type %q\n%s", kind, r)
	}
	if w.document == nil {
		return nil // the request for the document itself
	}
	if err := w.document.check(r); err != nil {
		return fmt.Errorf("%w\n%s", err, r)
	}
	return nil
}

// member returns a text member of a successful reply.
func (r *reply) member(name string) (string, error) {
	fields, _ := r.value.(map[string]any)
	text, _ := fields[name].(string)
	if r.status >= http.StatusBadRequest || text == "" {
		return "", fmt.Errorf("no %s in the reply\n%s", name, r)
	}
	return text, nil
}

// String formats a reply for a report.
func (r *reply) String() string {
	if r == nil {
		return "(no reply yet)"
	}
	if r.method == "" {
		return "last frame: " + shorten(r.body)
	}
	return fmt.Sprintf("last reply: as %s %s %s %s\n  %d %s", r.who, r.method, r.path, shorten(r.sent), r.status, shorten(r.body))
}

func shorten(b []byte) string {
	const shown = 1500
	if len(b) > shown {
		return string(b[:shown]) + "…"
	}
	return string(b)
}

// pagesCommand concatenates the pages of a list of posts: their ids must equal
// those of the whole list, in its order.
func (w *world) pagesCommand(args []string) error {
	if len(args) != 3 || w.last == nil {
		return usage("pages PATH NUMBER IDS, after a request of the same team")
	}
	count, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	all := []any{}
	for page := 1; page <= count; page++ {
		r, err := w.request(w.last.who, http.MethodGet, args[0]+"&page="+strconv.Itoa(page), nil)
		if err != nil {
			return err
		}
		ids, _ := lookUp(r.value, "data[*].id")
		list, _ := ids.([]any)
		all = append(all, list...)
	}
	if got := textOf(all); got != args[2] {
		return fmt.Errorf("the pages hold %s, want %s", got, args[2])
	}
	return nil
}
