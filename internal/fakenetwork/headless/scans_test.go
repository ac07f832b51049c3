package headless_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// corpus writes n posts that contain the word, each of about size bytes.
func corpus(t *testing.T, n, size int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "posts.jsonl")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		line, _ := json.Marshal(map[string]string{"id": fmt.Sprint(i), "text": fmt.Sprintf("observability %d ", i) + strings.Repeat("x", size)})
		_, _ = f.Write(append(line, '\n'))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func keywordTask(id, keyword string, since time.Time) protocol.Frame {
	return task(id, "keyword_scan", watchpost.ScanInput{Keyword: keyword, Since: since})
}

// readScan reads the parts, acks them and returns all posts of the scan.
func readScan(c *conn, id string) (urns map[string]int, exhausted bool, parts int) {
	c.t.Helper()
	urns = make(map[string]int)
	count := func(f protocol.Frame) []protocol.Post {
		out := decode[protocol.PostsOutput](c.t, f.Output)
		for _, p := range out.Posts {
			urns[p.URN]++
		}
		exhausted = out.Exhausted != nil && *out.Exhausted
		return out.Posts
	}
	for f := range c.frames {
		switch f.Type {
		case protocol.TypePart:
			if f.Seq == nil || *f.Seq != parts || f.Task != id || f.Attempt == 0 || f.Lease == "" {
				c.t.Fatalf("part %+v, want number %d", f, parts)
			}
			parts++
			if n := len(count(f)); n > protocol.MaxPartPosts || len(f.Output) > protocol.MaxPartBytes {
				c.t.Errorf("part of %d posts, %d bytes", n, len(f.Output))
			}
			c.send(protocol.Frame{Type: protocol.TypeAck, Task: id, Seq: f.Seq})
		case protocol.TypeResult:
			if f.Error != nil {
				c.t.Fatalf("result %+v", f.Error)
			}
			if len(count(f)) > protocol.MaxPartPosts {
				c.t.Error("the result is larger than a part")
			}
			c.send(ack(id))
			return urns, exhausted, parts
		}
	}
	c.t.Fatal("connection closed")
	return nil, false, 0
}

func TestScanInParts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ posts, size, parts int }{
		"by number": {posts: 450, size: 10, parts: 2},
		"exactly":   {posts: 400, size: 10, parts: 1},
		"by size":   {posts: 60, size: 40_000, parts: 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, fakenetwork.Options{CorpusFile: corpus(t, test.posts, test.size), SearchPage: 50})
			w.run()
			c, _ := w.welcomed()
			c.send(keywordTask("t1", "Observability", start.AddDate(0, 0, -30)))
			c.read(protocol.TypeAccepted)
			urns, exhausted, parts := readScan(c, "t1")
			if len(urns) != test.posts || !exhausted || parts != test.parts {
				t.Errorf("%d posts in %d parts, exhausted %v; want %d in %d", len(urns), parts, exhausted, test.posts, test.parts)
			}
			for urn, n := range urns {
				if n != 1 {
					t.Errorf("%s came %d times", urn, n)
				}
			}
		})
	}
}

// TestUnackedPartsAreSentAgain: parts without an ack are sent again on the next
// connection, in order, and the result only after them.
func TestUnackedPartsAreSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{CorpusFile: corpus(t, 650, 10), SearchPage: 100})
	s := w.run()
	c, _ := w.welcomed()
	c.send(keywordTask("t1", "observability", start.AddDate(0, 0, -30)))
	c.read(protocol.TypeAccepted)
	for i := range 3 {
		if f := c.read(protocol.TypePart); *f.Seq != i {
			t.Fatalf("part %d, want %d", *f.Seq, i)
		}
	}
	seq := 0
	c.send(protocol.Frame{Type: protocol.TypeAck, Task: "t1", Seq: &seq})
	c.send(protocol.Frame{Type: protocol.TypeTask, Task: ""}) // invalid: a session cannot reply to it
	c.drop()
	c, hello := w.welcomed()
	if len(hello.Tasks) != 1 || hello.Tasks[0].State != protocol.StateReceived {
		t.Errorf("hello lists %+v", hello.Tasks)
	}
	f := c.read(protocol.TypePart)
	if *f.Seq == 0 { // the ack may have been lost with the connection
		f = c.read(protocol.TypePart)
	}
	if *f.Seq != 1 || *c.read(protocol.TypePart).Seq != 2 {
		t.Errorf("parts again from %d", *f.Seq)
	}
	s.kill()

	// A new process scans again, with the same parts.
	w.run()
	c, _ = w.welcomed()
	if urns, _, parts := readScan(c, "t1"); len(urns) != 650 || parts != 3 {
		t.Errorf("%d posts in %d parts after the restart", len(urns), parts)
	}
}

// TestScanHandedOutAgain: under a new attempt the parts start at 0 again.
func TestScanHandedOutAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{CorpusFile: corpus(t, 250, 10), SearchPage: 100})
	w.run()
	c, _ := w.welcomed()
	f := keywordTask("t1", "observability", start.AddDate(0, 0, -30))
	c.send(f)
	c.read(protocol.TypeAccepted)
	c.read(protocol.TypePart)
	f.Lease, f.Attempt = "t1-2", 2
	c.send(f)
	c.read(protocol.TypeAccepted)
	part := c.read(protocol.TypePart)
	if *part.Seq != 0 || part.Lease != "t1-2" || part.Attempt != 2 {
		t.Errorf("part %+v", part)
	}
	c.send(protocol.Frame{Type: protocol.TypeAck, Task: "t1", Seq: part.Seq})
	if got := c.read(protocol.TypeResult); got.Attempt != 2 || len(decode[protocol.PostsOutput](t, got.Output).Posts) != 50 {
		t.Errorf("result %+v", got)
	}
}

func TestScanBounds(t *testing.T) {
	t.Parallel()
	t.Run("posts", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, fakenetwork.Options{CorpusFile: corpus(t, protocol.MaxScanPosts+30, 1), SearchPage: 2000})
		w.run()
		c, _ := w.welcomed()
		c.send(keywordTask("t1", "observability", start.AddDate(0, 0, -30)))
		c.read(protocol.TypeAccepted)
		if urns, exhausted, _ := readScan(c, "t1"); len(urns) != protocol.MaxScanPosts || exhausted {
			t.Errorf("%d posts, exhausted %v", len(urns), exhausted)
		}
	})
	t.Run("time", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, fakenetwork.Options{CorpusFile: corpus(t, 300, 1)})
		w.hooks.ScanTime = time.Nanosecond
		w.run()
		c, _ := w.welcomed()
		c.send(keywordTask("t1", "observability", start.AddDate(0, 0, -30)))
		c.read(protocol.TypeAccepted)
		// Nothing was read in that time, which is not an empty result.
		wantError(t, c.read(protocol.TypeResult), protocol.CodeTimeout)
	})
}

func TestScansOfAuthorsAndForum(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	b := w.browser("ann")
	since := start.AddDate(0, 0, -20)
	person := b.Get("/search/people").People[0]
	w.run()
	c, _ := w.welcomed()
	for id, test := range map[string]struct {
		kind string
		in   watchpost.ScanInput
	}{
		"slug":    {"people_scan", watchpost.ScanInput{Profile: person.Slug, Since: since}},
		"urn":     {"people_scan", watchpost.ScanInput{Profile: person.URN, Since: since}},
		"company": {"company_scan", watchpost.ScanInput{Company: w.aim().company.Slug, Since: since}},
		"forum":   {"forum_scan", watchpost.ScanInput{Keyword: "vendors", Since: since}},
	} {
		c.send(task(id, test.kind, test.in))
		c.read(protocol.TypeAccepted)
		urns, exhausted, _ := readScan(c, id)
		if len(urns) == 0 || !exhausted {
			t.Errorf("%s: %d posts, exhausted %v", id, len(urns), exhausted)
		}
		for urn := range urns {
			if (id == "forum") != strings.HasPrefix(urn, "urn:network:forum:") {
				t.Errorf("%s: post %s", id, urn)
			}
		}
	}
	for id, f := range map[string]protocol.Frame{
		protocol.CodeNotFound:     task("a", "people_scan", watchpost.ScanInput{Profile: "nobody-at-all", Since: since}),
		protocol.CodeInvalidInput: task("b", "keyword_scan", watchpost.ScanInput{Keyword: "  ", Since: since}),
	} {
		c.send(f)
		c.read(protocol.TypeAccepted)
		wantError(t, c.read(protocol.TypeResult), id)
		c.send(ack(f.Task))
	}
}

// TestLongPollCarriesParts: a scan's parts go by long poll as well.
func TestLongPollCarriesParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{CorpusFile: corpus(t, 60, 40_000)})
	w.setRefuse(true)
	w.run()
	w.acceptPoll().answer <- []protocol.Frame{welcome(), keywordTask("t1", "observability", start.AddDate(0, 0, -30))}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	parts := 0
	for done := false; !done && ctx.Err() == nil; {
		p := w.acceptPoll()
		reply := []protocol.Frame{}
		for _, m := range p.messages {
			switch m.Type {
			case protocol.TypePart:
				if *m.Seq != parts {
					t.Fatalf("part %d, want %d", *m.Seq, parts)
				}
				parts++
				reply = append(reply, protocol.Frame{Type: protocol.TypeAck, Task: "t1", Seq: m.Seq})
			case protocol.TypeResult:
				done = true
			}
		}
		if b, _ := json.Marshal(protocol.PollRequest{Messages: p.messages}); len(b) > protocol.MaxFrame {
			t.Errorf("poll of %d bytes", len(b))
		}
		p.answer <- reply
	}
	if parts != 4 {
		t.Errorf("%d parts, want 4", parts)
	}
}
