package fakenetwork_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/networktest"
	"watchpost/internal/fakenetwork/page"
)

func TestFaultsOfPages(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b, other := networktest.NewBrowser(t, site.url), networktest.NewBrowser(t, site.url)
	b.SignIn("jo")
	other.SignIn("ann")

	for fault, want := range map[fakenetwork.Faults]page.Kind{
		{SignedOut: true}:   page.KindSignIn,
		{Challenge: true}:   page.KindChallenge,
		{RateLimited: true}: page.KindLimit,
	} {
		site.SetFaults("jo", fault)
		if got := b.Get("/feed").Kind; got != want {
			t.Errorf("%+v: page %q, want %q", fault, got, want)
		}
		if got := other.Get("/feed").Kind; got != page.KindFeed {
			t.Errorf("%+v: page of the other account %q", fault, got)
		}
		site.SetFaults("jo", fakenetwork.Faults{})
		site.SetFaults("", fault)
		if got := other.Get("/feed").Kind; got != want {
			t.Errorf("%+v for all: page %q, want %q", fault, got, want)
		}
		site.ClearFaults()
		if got := b.Get("/feed").Kind; got != page.KindFeed {
			t.Errorf("after %+v: page %q", fault, got)
		}
	}
}

func TestSignedOutFaultRefusesSignIn(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{Faults: fakenetwork.Faults{SignedOut: true}})
	b := networktest.NewBrowser(t, site.url)
	if got := b.SignIn("jo"); got.Kind != page.KindSignIn || got.Viewer != nil {
		t.Errorf("sign-in: %+v", got)
	}
	site.ClearFaults()
	if got := b.SignIn("jo").Kind; got != page.KindFeed {
		t.Errorf("sign-in afterwards: %q", got)
	}
}

func TestLayoutChanged(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	feed := b.SignIn("jo")
	site.SetFaults("jo", fakenetwork.Faults{LayoutChanged: true})
	for _, path := range []string{"/feed", feed.Posts[0].Path, "/search/posts?q=hiring", "/in/jo", "/nowhere"} {
		resp, err := b.Client.Get(site.url + path)
		if err != nil {
			t.Fatal(err)
		}
		html, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if _, err := page.Parse(html); !errors.Is(err, page.ErrNotUnderstood) {
			t.Errorf("%s: %v, want a page that is not understood", path, err)
		}
	}
}

func TestLostWrites(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	path := b.SignIn("jo").Posts[0].Path
	comment := func() error {
		resp, err := b.TryPost(path+"/comment", url.Values{"text": {"hi"}})
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}
	site.SetFaults("jo", fakenetwork.Faults{LoseAnswers: 1})
	if err := comment(); err == nil {
		t.Error("the answer was not lost")
	}
	if n := len(site.Writes()); n != 1 {
		t.Errorf("%d writes after a lost answer, want 1", n)
	}
	site.SetFaults("", fakenetwork.Faults{LoseWrites: -1})
	for range 2 {
		if err := comment(); err == nil {
			t.Error("the write was answered")
		}
	}
	if n := len(site.Writes()); n != 1 {
		t.Errorf("%d writes after lost writes, want 1", n)
	}
	site.ClearFaults()
	if err := comment(); err != nil || len(site.Writes()) != 2 {
		t.Errorf("after the faults: %v, %d writes", err, len(site.Writes()))
	}
}

// TestSlow: a slow page ends with its request and leaves no goroutine.
func TestSlow(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{Faults: fakenetwork.Faults{Slow: time.Hour}})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		site.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/feed", nil).WithContext(ctx))
	}()
	cancel()
	<-done

	site.SetFaults("", fakenetwork.Faults{Slow: time.Millisecond})
	if got := networktest.NewBrowser(t, site.url).SignIn("jo").Kind; got != page.KindFeed {
		t.Errorf("slow sign-in: %q", got)
	}
}

func TestFaultsJSON(t *testing.T) {
	t.Parallel()
	want := fakenetwork.Faults{Slow: 1500 * time.Millisecond, SignedOut: true, LoseAnswers: -1}
	b, err := json.Marshal(want)
	if err != nil || !strings.Contains(string(b), `"slow":"1.5s"`) {
		t.Fatalf("%s, %v", b, err)
	}
	var got fakenetwork.Faults
	if err := json.Unmarshal(b, &got); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{`{"slow":"soon"}`, `{"slow":"-1s"}`, `[]`} {
		if err := json.Unmarshal([]byte(bad), &got); err == nil {
			t.Errorf("%s was understood", bad)
		}
	}
}

// A browser may resend a request: the site recognises it by its name.
func TestNamedWriteIsDoneOnce(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	b.SignIn("jo")
	post := b.Get("/feed").Posts[0]
	comment := func(name string) *page.Data {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site.url+post.Path+"/comment", strings.NewReader(url.Values{"text": {"Once"}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("X-CSRF-Token", b.CSRF)
		request.Header.Set("X-Write-Id", name)
		answer, err := b.Client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		html, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		data, err := page.Parse(html)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	first, again, other := comment("a"), comment("a"), comment("b")
	if again.Kind != page.KindApplied || *again.Applied != *first.Applied || other.Applied.URN == first.Applied.URN {
		t.Errorf("answers: %+v, %+v, %+v", first.Applied, again.Applied, other.Applied)
	}
	if n := len(site.Writes()); n != 2 {
		t.Errorf("%d writes, want 2", n)
	}
}
