// Package notify delivers notifications to chat tools and webhooks by HTTP.
package notify

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"watchpost/internal/mail/outgoing"
	"watchpost/internal/outbound"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// Options configure a Sender.
type Options struct {
	// Private are addresses of private networks that may be connected to. If there
	// are any, addresses without TLS are allowed too.
	Private []netip.Prefix
	// Resolver resolves names; nil: the system's.
	Resolver *net.Resolver
	// Telegram is the origin of the Telegram API; empty: the public one.
	Telegram string
}

// Sender sends messages. Its methods may be called from several goroutines.
type Sender struct {
	client   *http.Client
	telegram string
	plain    bool
}

// New returns a sender.
func New(o Options) *Sender {
	if o.Telegram == "" {
		o.Telegram = "https://api.telegram.org"
	}
	return &Sender{client: outbound.Client(o.Private, o.Resolver), telegram: o.Telegram, plain: len(o.Private) > 0}
}

// Plain reports whether addresses without TLS are allowed.
func (s *Sender) Plain() bool { return s.plain }

// Message is what a target gets.
type Message struct {
	ID    string
	At    time.Time
	Test  bool
	Posts []Post
	Alert *watchpost.Alerted // nil: the message is of new posts
	// Origin is the address of the service for browsers; empty: there are no links to it.
	Origin string
}

// Post is a post of a message, and the object of the API that shows it.
type Post struct {
	*watchpost.Post
	Object json.RawMessage
}

// NewSecret returns the key of a webhook's signatures that bytes make, as
// Standard Webhooks writes it.
func NewSecret(random []byte) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(random)
}

// Send makes one attempt to deliver a message. secret is the key of a webhook's
// signatures, or the token of a Telegram bot.
func (s *Sender) Send(ctx context.Context, t *watchpost.NotificationTarget, secret string, m Message) watchpost.Attempt {
	request := requests[t.Kind]
	if request == nil {
		return watchpost.Attempt{Error: errUnwritten.Error()}
	}
	r, err := request(ctx, s, t, secret, m)
	if err != nil {
		return watchpost.Attempt{Error: err.Error()}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Watchpost")
	reply, err := s.client.Do(r)
	if err != nil {
		return watchpost.Attempt{Error: reasonOf(err)}
	}
	defer reply.Body.Close()                       //nolint:errcheck // read as far as wanted
	_, _ = io.CopyN(io.Discard, reply.Body, 4<<10) // its content is not shown
	return attemptOf(reply)
}

// reasonOf says why there was no reply, without the address: it may be a secret.
func reasonOf(err error) string {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, outbound.ErrPrivate):
		return outbound.ErrPrivate.Error()
	case errors.As(err, &dns):
		return "the name of the host cannot be resolved"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time"
	}
	return "no connection"
}

func attemptOf(reply *http.Response) watchpost.Attempt {
	a := watchpost.Attempt{Code: reply.StatusCode}
	switch {
	case reply.StatusCode < 300:
		return a
	case reply.StatusCode < 400:
		a.Error = "answered with a redirect, which is not followed"
	default:
		a.Error = "answered " + strconv.Itoa(reply.StatusCode) + " " + http.StatusText(reply.StatusCode)
		a.Gone = reply.StatusCode == http.StatusGone
	}
	if seconds, err := strconv.Atoi(reply.Header.Get("Retry-After")); err == nil && seconds > 0 {
		a.RetryAfter = time.Duration(min(seconds, 24*3600)) * time.Second
	}
	return a
}

// Mail returns a message as a mail to a member, in the member's language.
func Mail(to outgoing.Recipient, t *watchpost.NotificationTarget, m Message) outgoing.Mail {
	say := to.Words()
	return to.Write(say.Text("message.subject", "what", mailSubject(say, m)), plainText(say, t, m))
}

// mailSubject says what a mail is about in words of ours: a name that someone has given, or
// an author, could mislead a reader who reads no further.
func mailSubject(say *words.Language, m Message) string {
	switch {
	case m.Test:
		return say.Text("message.test_of_a_notification")
	case m.Alert != nil:
		return risen(say, m.Alert)
	}
	return say.Text("message.new_posts", "n", len(m.Posts))
}

// title says in a line what a message is about.
func title(say *words.Language, t *watchpost.NotificationTarget, m Message) string {
	switch {
	case m.Test:
		return say.Text("message.test_of", "name", t.Name)
	case m.Alert != nil:
		return say.Text("message.about", "name", t.Name, "what", risen(say, m.Alert))
	case len(m.Posts) == 1:
		return say.Text("message.new_post_of", "name", t.Name, "author", oneLine(m.Posts[0].AuthorName, 80))
	}
	return say.Text("message.about", "name", t.Name, "what", say.Text("message.new_posts", "n", len(m.Posts)))
}

// Bounds of the texts of a message.
const (
	excerptLength = 280
	maxChatText   = 1900 // Discord takes 2,000 characters
)

func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// plainText is a message as plain text.
func plainText(say *words.Language, t *watchpost.NotificationTarget, m Message) string {
	lines := []string{title(say, t, m)}
	if m.Test {
		lines = append(lines, say.Text("message.new_posts_arrive_here"))
	}
	if found := newWords(say, m); found != "" {
		lines = append(lines, found)
	}
	for _, l := range linksOf(say, t, m) {
		lines = append(lines, say.Text("message.link", "title", l.Title, "url", l.URL))
	}
	for _, p := range m.Posts {
		lines = append(lines, "", oneLine(p.AuthorName, 80)+": "+oneLine(p.Content, excerptLength), p.URL)
	}
	return strings.Join(lines, "\n")
}

// chatText is plainText for tools with short messages. Those of a chat are in English: they
// have many readers, and the service does not know who they are.
func chatText(t *watchpost.NotificationTarget, m Message) string {
	s := []rune(plainText(words.English(), t, m) + "\n")
	return string(s[:min(len(s), maxChatText)])
}
