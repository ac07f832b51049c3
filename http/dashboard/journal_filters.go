package dashboard

import (
	"cmp"
	"net/url"
	"time"

	"watchpost/watchpost"
)

// journalParams are the filters in an address of the journal.
var journalParams = []string{"from", "to", "action", "as", "by", "outcome", "rule"}

// journalHref is the address of the journal with these filters.
func journalHref(kept url.Values) string {
	if len(kept) == 0 {
		return pathJournal
	}
	return pathJournal + "?" + kept.Encode()
}

// journalMenus are the filters above the journal. Each value is a link, which keeps
// the other filters.
func journalMenus(kept url.Values, members []watchpost.Member, now time.Time) []menu {
	with := func(set map[string]string) string {
		next := url.Values{}
		for _, name := range journalParams {
			value, changed := set[name]
			if !changed {
				value = kept.Get(name)
			}
			if value != "" {
				next.Set(name, value)
			}
		}
		return journalHref(next)
	}
	menus := []menu{journalDays(kept, with, now)}
	add := func(title, name string, options []choice) {
		m := menu{Title: title, Name: name, Action: pathJournal, Links: true, On: kept.Get(name) != ""}
		for _, c := range append([]choice{{Name: "Any"}}, options...) {
			if c.On = c.Value == kept.Get(name); c.On && c.Value != "" {
				m.Title = title + ": " + c.Name
			}
			c.Value = with(map[string]string{name: c.Value})
			m.Options = append(m.Options, c)
		}
		menus = append(menus, m)
	}
	var actions, accounts []choice
	for _, t := range watchpost.JournalTypes() {
		actions = append(actions, choice{Value: string(t), Name: t.Title()})
	}
	for _, m := range members {
		accounts = append(accounts, choice{Value: string(m.ID), Name: nameOf(m)})
	}
	add("Action", "action", actions)
	add("Account", "as", accounts)
	add("Asked by", "by", ways)
	add("Outcome", "outcome", outcomes)
	if rule := kept.Get("rule"); rule != "" {
		add("Rule", "rule", []choice{{Value: rule, Name: "one"}})
	}
	return menus
}

// journalDays is the filter by the day on which the action was asked for.
func journalDays(kept url.Values, with func(map[string]string) string, now time.Time) menu {
	from, to := kept.Get("from"), kept.Get("to")
	m := menu{Title: "Any day", Name: "from", Action: pathJournal, Links: true, On: from+to != ""}
	if m.On {
		m.Title = cmp.Or(from, "…") + " to " + cmp.Or(to, "today")
	}
	for _, d := range []struct {
		name string
		days int
	}{{"Any day", 0}, {"Today", 1}, {"Last 7 days", 7}, {"Last 30 days", 30}} {
		start := ""
		if d.days > 0 {
			start = now.UTC().AddDate(0, 0, 1-d.days).Format(time.DateOnly)
		}
		c := choice{Name: d.name, Value: with(map[string]string{"from": start, "to": ""}), On: from == start && to == ""}
		if c.On {
			m.Title = d.name
		}
		m.Options = append(m.Options, c)
	}
	for _, name := range journalParams[2:] {
		if value := kept.Get(name); value != "" {
			m.Hidden = append(m.Hidden, field{name, value})
		}
	}
	m.Inputs = []input{{"from", "From", "date", from, ""}, {"to", "To", "date", to, ""}}
	return m
}
