package notify_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"watchpost/internal/mail/outgoing"
	"watchpost/internal/notify"
	"watchpost/watchpost"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// receiver is a server that keeps the last request.
type receiver struct {
	*httptest.Server
	calls  atomic.Int32
	body   []byte
	header http.Header
	path   string
}

func newReceiver(t *testing.T, answer func(http.ResponseWriter)) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.body, _ = io.ReadAll(req.Body)
		r.header, r.path = req.Header, req.URL.Path
		r.calls.Add(1)
		if answer != nil {
			answer(w)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

var hostile = []notify.Post{{
	Post: &watchpost.Post{
		ID: "p", URL: "https://network.example/p?a=<b>|c", AuthorName: "@everyone <!channel>", Content: "<script>alert(1)</script> *bold* [x](javascript:1) & more",
	},
	Object: json.RawMessage(`{"id":"p","content":"<script>alert(1)</script>","matched":[{"watchlist_id":"w","keyword":"k"}]}`),
}}

func TestEveryKindOfTarget(t *testing.T) {
	t.Parallel()
	secret := notify.NewSecret([]byte("0123456789abcdef01234567"))
	checks := map[watchpost.TargetKind]func(*testing.T, *receiver, map[string]any){
		watchpost.TargetSlack: func(t *testing.T, r *receiver, _ map[string]any) {
			require.NotContains(t, string(r.body), `"mrkdwn","text":"<!`)
			require.Contains(t, string(r.body), "plain_text")
		},
		watchpost.TargetDiscord: func(t *testing.T, _ *receiver, body map[string]any) {
			require.Equal(t, map[string]any{"parse": []any{}}, body["allowed_mentions"])
			require.LessOrEqual(t, len([]rune(body["content"].(string))), 2000)
		},
		watchpost.TargetTeams: func(t *testing.T, r *receiver, body map[string]any) {
			require.Equal(t, "message", body["type"])
			require.Contains(t, string(r.body), "TextRun")
			require.NotContains(t, string(r.body), `"TextBlock"`)
		},
		watchpost.TargetTelegram: func(t *testing.T, r *receiver, body map[string]any) {
			require.Equal(t, "/bot"+secret+"/sendMessage", r.path)
			require.Equal(t, "42", body["chat_id"])
			require.NotContains(t, body, "parse_mode")
		},
		watchpost.TargetWebhook: func(t *testing.T, r *receiver, body map[string]any) {
			wh, err := standardwebhooks.NewWebhook(secret)
			require.NoError(t, err)
			require.NoError(t, wh.VerifyIgnoringTimestamp(r.body, r.header))
			require.Error(t, wh.VerifyIgnoringTimestamp(append(r.body, ' '), r.header))
			require.Equal(t, "delivery-1", r.header.Get("webhook-id"))
			object, err := json.Marshal(body["data"].(map[string]any)["posts"].([]any)[0])
			require.NoError(t, err)
			require.JSONEq(t, string(hostile[0].Object), string(object))
			require.NotContains(t, string(r.body), "<script>")
		},
	}
	for _, known := range watchpost.NotificationKinds() {
		kind, check := known.Kind, checks[known.Kind]
		if kind.Needs(watchpost.TargetUsers) {
			continue // members get mail
		}
		require.NotNil(t, check, "nothing checks the messages of %s", kind)
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t, nil)
			s := notify.New(notify.Options{Private: loopback, Telegram: r.URL})
			target := &watchpost.NotificationTarget{ID: "t", Name: "Target", Kind: kind, URL: r.URL, Chat: "42"}
			attempt := s.Send(context.Background(), target, secret, notify.Message{ID: "delivery-1", At: time.Unix(1, 0), Posts: hostile})
			require.Equal(t, watchpost.Attempt{Code: 200}, attempt)
			var body map[string]any
			require.NoError(t, json.Unmarshal(r.body, &body))
			check(t, r, body)
		})
	}
}

// TestAlertOfEveryKind: the message of each kind says what rose, from what to what, its new
// words and where its posts are; that of a service without an address has no links to it.
func TestAlertOfEveryKind(t *testing.T) {
	t.Parallel()
	day := time.Date(2030, 11, 18, 0, 0, 0, 0, time.UTC)
	alert := func(of watchpost.AlertKind) notify.Message {
		return notify.Message{ID: "d", At: day.Add(30 * time.Hour), Posts: hostile, Origin: "https://watch.example",
			Alert: &watchpost.Alerted{Of: of, Day: day, Count: 23, Usual: 4.5, Words: []string{"outage", "<!channel>"}}}
	}
	const feed, trends = "https://watch.example/app?end_date=2030-11-18&labels=Pricing&sentiment=negative&start_date=2030-11-18&watchlist_id=w", "https://watch.example/app/trends?list=w"
	for _, known := range watchpost.NotificationKinds() {
		kind := known.Kind
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			target := &watchpost.NotificationTarget{ID: "t", Name: "Market", Kind: kind, Watchlist: "w", If: watchpost.PostConditions{Labels: []string{"Pricing"}}}
			sent := func(m notify.Message) string {
				if kind.Needs(watchpost.TargetUsers) {
					mail := notify.Mail(outgoing.Recipient{Address: "ada@example.com"}, target, m)
					return mail.Subject + "\n" + mail.Body
				}
				r := newReceiver(t, nil)
				target.URL = r.URL
				attempt := notify.New(notify.Options{Private: loopback, Telegram: r.URL}).Send(context.Background(), target, notify.NewSecret([]byte("0123456789abcdef01234567")), m)
				require.Equal(t, watchpost.Attempt{Code: 200}, attempt)
				require.NotContains(t, string(r.body), `"mrkdwn","text":"<!`)
				return strings.ReplaceAll(strings.ReplaceAll(string(r.body), `\u0026`, "&"), "&amp;", "&")
			}
			surge := sent(alert(watchpost.AlertNegativeSurge))
			for _, part := range []string{feed, trends, "outage", "network.example/p"} {
				if part == "network.example/p" && kind == watchpost.TargetWebhook {
					continue // it has the objects of the posts
				}
				require.Contains(t, surge, part)
			}
			if kind == watchpost.TargetWebhook {
				require.Contains(t, surge, `"alert":{"count":23,"day":"2030-11-18","of":"negative_surge","usual":4.5,"words":["outage",`)
				require.Contains(t, surge, `"type":"posts.alert"`)
			} else {
				require.Contains(t, surge, "23 negative posts on 18 November, usually 4.5")
				require.Contains(t, surge, "New words: outage, ")
			}
			m := alert(watchpost.AlertSpike)
			m.Origin, m.Alert.Words, m.Posts = "", nil, nil
			spike := sent(m)
			require.NotContains(t, spike, "watch.example")
			require.NotContains(t, spike, "New words")
			require.NotContains(t, spike, "negative")
		})
	}
}

func TestAnswersOfTargets(t *testing.T) {
	t.Parallel()
	elsewhere := newReceiver(t, nil)
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		want   watchpost.Attempt
	}{
		"busy": {func(w http.ResponseWriter) { w.Header().Set("Retry-After", "7"); w.WriteHeader(429) },
			watchpost.Attempt{Code: 429, Error: "answered 429 Too Many Requests", RetryAfter: 7 * time.Second}},
		"gone": {func(w http.ResponseWriter) { w.WriteHeader(410) }, watchpost.Attempt{Code: 410, Error: "answered 410 Gone", Gone: true}},
		"redirect": {func(w http.ResponseWriter) { w.Header().Set("Location", elsewhere.URL); w.WriteHeader(307) },
			watchpost.Attempt{Code: 307, Error: "answered with a redirect, which is not followed"}},
	} {
		r := newReceiver(t, c.answer)
		target := &watchpost.NotificationTarget{Kind: watchpost.TargetSlack, URL: r.URL}
		require.Equal(t, c.want, notify.New(notify.Options{Private: loopback}).Send(context.Background(), target, "", notify.Message{}), name)
	}
	require.Zero(t, elsewhere.calls.Load())
}

// TestNoPrivateAddress: whatever way an address is written, nothing private is
// connected to.
func TestNoPrivateAddress(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, nil)
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	s := notify.New(notify.Options{})
	for _, host := range []string{
		"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1",
		"[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "224.0.0.1", "255.255.255.255", "localhost", "168.63.129.16",
	} {
		target := &watchpost.NotificationTarget{Kind: watchpost.TargetSlack, URL: "http://" + host + port}
		attempt := s.Send(context.Background(), target, "", notify.Message{})
		require.Equal(t, watchpost.Attempt{Error: "the address leads to a private network"}, attempt, host)
	}
	require.Zero(t, r.calls.Load())
}

// TestRebinding: a name that leads to a public address when it is looked at, and
// to a private one when it is connected to, is refused: the check looks at the address of
// the connection.
func TestRebinding(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, nil)
	var asked atomic.Int32
	resolver := nameServer(t, func() [4]byte {
		if asked.Add(1) == 1 {
			return [4]byte{93, 184, 215, 14}
		}
		return [4]byte{127, 0, 0, 1}
	})
	seen, err := resolver.LookupIP(context.Background(), "ip4", "rebind.example")
	require.NoError(t, err)
	require.Equal(t, "93.184.215.14", seen[0].String(), "public at first")
	s := notify.New(notify.Options{Resolver: resolver})
	target := &watchpost.NotificationTarget{Kind: watchpost.TargetSlack, URL: "http://rebind.example" + r.URL[strings.LastIndex(r.URL, ":"):]}
	require.Equal(t, watchpost.Attempt{Error: "the address leads to a private network"}, s.Send(context.Background(), target, "", notify.Message{}))
	require.Zero(t, r.calls.Load())
}

// nameServer returns a resolver whose server answers every name with an address.
func nameServer(t *testing.T, address func() [4]byte) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: address()},
				}}
			}
			if reply, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}
