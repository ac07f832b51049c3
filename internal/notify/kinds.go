package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"watchpost/internal/words"
	"watchpost/watchpost"
)

// request makes of a message the request that a kind of target takes. secret is what
// the target has sealed.
type request func(ctx context.Context, s *Sender, t *watchpost.NotificationTarget, secret string, m Message) (*http.Request, error)

// requests are those of each kind, but for mail.
var requests = map[watchpost.TargetKind]request{
	watchpost.TargetSlack:   incoming(slackBody),
	watchpost.TargetDiscord: incoming(discordBody),
	watchpost.TargetTeams:   incoming(teamsBody),
	watchpost.TargetTelegram: func(ctx context.Context, s *Sender, t *watchpost.NotificationTarget, token string, m Message) (*http.Request, error) {
		r, _, err := post(ctx, s.telegram+"/bot"+url.PathEscape(token)+"/sendMessage", telegramBody(t, m))
		return r, err
	},
	watchpost.TargetWebhook: func(ctx context.Context, _ *Sender, t *watchpost.NotificationTarget, secret string, m Message) (*http.Request, error) {
		r, raw, err := post(ctx, t.URL, webhookBody(t, m))
		if err == nil && sign(r, secret, m, raw) != nil {
			return nil, errUnsigned
		}
		return r, err
	},
}

// Why a message could not be sent, as a member reads it.
var (
	errUnwritten = errors.New("the message cannot be written")
	errAddress   = errors.New("the address is not valid")
	errUnsigned  = errors.New("the message cannot be signed")
)

// incoming posts a body to the address of the target.
func incoming(body func(*watchpost.NotificationTarget, Message) any) request {
	return func(ctx context.Context, _ *Sender, t *watchpost.NotificationTarget, _ string, m Message) (*http.Request, error) {
		r, _, err := post(ctx, t.URL, body(t, m))
		return r, err
	}
}

// post returns a request with a body, and the bytes of that.
func post(ctx context.Context, address string, body any) (r *http.Request, raw []byte, err error) {
	if raw, err = json.Marshal(body); err != nil {
		return nil, nil, errUnwritten
	}
	if r, err = http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(raw)); err != nil {
		return nil, nil, errAddress
	}
	return r, raw, nil
}

// sign adds the headers of Standard Webhooks.
func sign(r *http.Request, secret string, m Message, raw []byte) error {
	wh, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	signature, err := wh.Sign(m.ID, m.At, raw)
	r.Header.Set(standardwebhooks.HeaderWebhookID, m.ID)
	r.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(m.At.Unix(), 10))
	r.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return err
}

// slackEscapes keeps what others wrote from being markup.
var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func slackBody(t *watchpost.NotificationTarget, m Message) any {
	text := func(kind, s string) map[string]any { return map[string]any{"type": kind, "text": s} }
	blocks := []any{map[string]any{"type": "section", "text": text("plain_text", oneLine(title(words.English(), t, m), 200))}}
	link := func(title, to string) {
		blocks = append(blocks, map[string]any{"type": "context", "elements": []any{text("mrkdwn", "<"+slackEscapes.Replace(strings.ReplaceAll(to, "|", "%7C"))+"|"+title+">")}})
	}
	if found := newWords(words.English(), m); found != "" {
		blocks = append(blocks, map[string]any{"type": "section", "text": text("plain_text", found)})
	}
	for _, l := range linksOf(words.English(), t, m) {
		link(l.Title, l.URL)
	}
	for _, p := range m.Posts {
		blocks = append(blocks, map[string]any{"type": "section", "text": text("plain_text", oneLine(p.AuthorName, 80)+": "+oneLine(p.Content, excerptLength))})
		link(words.English().Text("message.open_the_post"), p.URL)
	}
	return map[string]any{"text": slackEscapes.Replace(title(words.English(), t, m)), "blocks": blocks, "unfurl_links": false}
}

func discordBody(t *watchpost.NotificationTarget, m Message) any {
	return map[string]any{"content": chatText(t, m), "allowed_mentions": map[string]any{"parse": []string{}}, "flags": 4} // no previews
}

// teamsBody is an adaptive card whose texts are runs, which have no markup.
func teamsBody(t *watchpost.NotificationTarget, m Message) any {
	run := func(s string) map[string]any {
		return map[string]any{"type": "RichTextBlock", "inlines": []any{map[string]any{"type": "TextRun", "text": s}}}
	}
	open := func(title, to string) map[string]any {
		return map[string]any{"type": "ActionSet", "actions": []any{map[string]any{"type": "Action.OpenUrl", "title": title, "url": to}}}
	}
	body := []any{run(title(words.English(), t, m))}
	if found := newWords(words.English(), m); found != "" {
		body = append(body, run(found))
	}
	for _, l := range linksOf(words.English(), t, m) {
		body = append(body, open(l.Title, l.URL))
	}
	for _, p := range m.Posts {
		body = append(body, run(oneLine(p.AuthorName, 80)+": "+oneLine(p.Content, excerptLength)), open(words.English().Text("message.open_the_post"), p.URL))
	}
	card := map[string]any{"type": "AdaptiveCard", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "version": "1.4", "body": body}
	return map[string]any{"type": "message", "attachments": []any{map[string]any{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}}}
}

func telegramBody(t *watchpost.NotificationTarget, m Message) any {
	return map[string]any{"chat_id": t.Chat, "text": chatText(t, m), "link_preview_options": map[string]any{"is_disabled": true}}
}

// webhookBody has the posts as the API shows them, and an alert as the log of deliveries
// shows it.
func webhookBody(t *watchpost.NotificationTarget, m Message) any {
	kind, posts := "posts.new", make([]json.RawMessage, len(m.Posts))
	for i, p := range m.Posts {
		posts[i] = p.Object
	}
	data := map[string]any{"target_id": t.ID, "posts": posts}
	switch a := m.Alert; {
	case m.Test:
		kind = "test"
	case a != nil:
		kind = "posts.alert"
		data["alert"] = map[string]any{"of": a.Of, "day": a.Day.Format(time.DateOnly), "count": a.Count, "usual": a.Usual, "words": append([]string{}, a.Words...)}
		for _, l := range linksOf(words.English(), t, m) {
			data[l.Name] = l.URL
		}
	}
	return map[string]any{"type": kind, "timestamp": m.At.UTC(), "data": data}
}
