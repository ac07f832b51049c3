package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// AppendTo writes the reply as package json would, at a tenth of the cost: a team
// has up to thousands of members with ten allowances each.
func (r teamReply) AppendTo(b []byte) []byte {
	r.Members = []teamMember{}
	frame, err := json.Marshal(r)
	if err != nil {
		panic(err) // texts, numbers and times
	}
	// Quotes inside of a text are escaped, so this is the field.
	before, after, _ := bytes.Cut(frame, []byte(`"members":[`))
	const typical = 1_100 // bytes of a member
	b = slices.Grow(b, len(frame)+typical*len(r.view.Presence))
	b = append(append(b, before...), `"members":[`...)
	w := &memberWriter{b: b, resets: map[time.Time]endpoint.Timestamp{}}
	for i := range r.view.Presence {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.member(&r.view.Team.Members[i], &r.view.Presence[i])
	}
	return append(w.b, after...)
}

// actionNames are the actions with an allowance in the order of package json.
var actionNames = func() (names []watchpost.Action) {
	for _, a := range watchpost.Allowances {
		names = append(names, a.Action)
	}
	slices.Sort(names)
	return names
}()

// memberWriter writes members to b.
type memberWriter struct {
	b []byte
	// resets are the moments written so far: all allowances share two.
	resets map[time.Time]endpoint.Timestamp
}

func (w *memberWriter) raw(s string) { w.b = append(w.b, s...) }

func (w *memberWriter) text(name, s string) {
	w.raw(name)
	w.b = appendText(w.b, s)
}

func (w *memberWriter) flag(name string, v bool) {
	w.raw(name)
	w.b = strconv.AppendBool(w.b, v)
}

func (w *memberWriter) number(name string, n int) {
	w.raw(name)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
}

func (w *memberWriter) member(m *watchpost.Member, p *actors.MemberPresence) {
	w.text(`{"id":`, string(m.ID))
	w.text(`,"full_name":`, m.FullName)
	w.text(`,"email":`, m.Email)
	w.text(`,"role":`, string(m.Role))
	w.flag(`,"acting":`, p.Acting)
	w.flag(`,"extension":{"active":`, p.Active)
	w.flag(`,"connected":`, p.Connected)
	w.raw(`,"last_active_at":`)
	if p.LastActive.IsZero() {
		w.raw("null")
	} else {
		w.b = appendText(w.b, string(endpoint.TimestampOf(p.LastActive)))
	}
	w.raw(`},"account":`)
	if a := p.Account; a == nil {
		w.raw("null")
	} else {
		w.text(`{"urn":`, a.URN)
		w.text(`,"slug":`, a.Slug)
		w.text(`,"name":`, a.Name)
		w.flag(`,"signed_in":`, a.SignedIn)
		w.raw("}")
	}
	w.flag(`,"account_in_use":`, p.AccountInUse)
	w.allowances(p.Used)
	w.raw(`,"pauses":`)
	if len(p.Pauses) == 0 {
		w.raw("[]")
	} else {
		w.pauses(p.Pauses)
	}
	w.raw("}")
}

func (w *memberWriter) allowances(used []actors.AllowanceUse) {
	w.raw(`,"allowances":{`)
	comma := ""
	for _, name := range actionNames {
		for i := range used {
			u := &used[i]
			if u.Action != name {
				continue
			}
			resets, known := w.resets[u.ResetsAt]
			if !known {
				resets = endpoint.TimestampOf(u.ResetsAt)
				w.resets[u.ResetsAt] = resets
			}
			w.raw(comma)
			w.b = appendText(w.b, string(u.Action))
			w.number(`:{"used":`, u.Used)
			w.number(`,"limit":`, u.Limit)
			w.text(`,"resets_at":`, string(resets))
			w.raw("}")
			comma = ","
		}
	}
	w.raw("}")
}

// pauses are rare.
func (w *memberWriter) pauses(pauses []actors.Pause) {
	shown := make([]pause, len(pauses))
	for i, one := range pauses {
		shown[i] = pause{one.Reason, one.TaskType, one.Action, endpoint.TimestampOrNil(one.Until), one.Failures, endpoint.TimestampOrNil(one.Since), one.Code, one.Message}
	}
	b, err := json.Marshal(shown)
	if err != nil {
		panic(err) // texts and numbers
	}
	w.b = append(w.b, b...)
}

// appendText appends a text as package json would write it.
func appendText(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			b, err := json.Marshal(s)
			if err != nil {
				panic(err) // a text
			}
			return append(dst, b...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}
