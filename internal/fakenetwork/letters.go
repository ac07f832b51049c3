package fakenetwork

import (
	"net/http"
	"sort"

	"watchpost/internal/fakenetwork/page"
)

// threads lists the members with whom the viewer exchanged messages, each with
// the newest message, newest first.
func (v *visit) threads() []page.Person {
	list := []page.Person{}
	for _, m := range v.records.everyone() {
		if m == v.me {
			continue
		}
		if messages := v.records.messages(v.me, m); len(messages) > 0 {
			p, last := v.personView(m), v.messageView(messages[len(messages)-1])
			p.Last = &last
			list = append(list, p)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Last.SentAt.After(list[j].Last.SentAt) })
	return list
}

func (v *visit) messageView(m message) page.Message {
	return page.Message{URN: m.urn, Text: m.text, SentAt: m.at, Mine: m.from == v.me}
}

// messages shows the list of threads.
func (v *visit) messages() {
	v.show(http.StatusOK, "Messages", page.Data{Kind: page.KindMessages, People: v.threads()})
}

// thread shows the messages with one member next to the other threads.
func (v *visit) thread() {
	m := v.whoMember()
	if m == nil {
		v.notFound()
		return
	}
	t := &page.Thread{With: v.personView(m), CanMessage: v.records.connected(v.me, m), Messages: []page.Message{}}
	for _, msg := range v.records.messages(v.me, m) {
		t.Messages = append(t.Messages, v.messageView(msg))
	}
	v.show(http.StatusOK, "Messages with "+m.name(), page.Data{Kind: page.KindThread, Thread: t, People: v.threads()})
}

// invitations lists the viewer's pending invitations, sent and received,
// newest first.
func (v *visit) invitations() {
	data := page.Data{Kind: page.KindInvitations, Invitations: []page.Invitation{}}
	for _, inv := range newest(v.records.invitationsOf(func(i invitation) bool { return i.from == v.me })) {
		to := v.personView(inv.to)
		data.Invitations = append(data.Invitations, page.Invitation{To: &to, Note: inv.note, SentAt: inv.at})
	}
	for _, inv := range newest(v.records.invitationsOf(func(i invitation) bool { return i.to == v.me })) {
		from := v.personView(inv.from)
		data.Received = append(data.Received, page.Invitation{From: &from, Note: inv.note, SentAt: inv.at})
	}
	v.show(http.StatusOK, "Invitations", data)
}

// newest sorts invitations, newest first.
func newest(list []invitation) []invitation {
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if !a.at.Equal(b.at) {
			return a.at.After(b.at)
		}
		return a.from.id < b.from.id || a.from.id == b.from.id && a.to.id < b.to.id
	})
	return list
}
