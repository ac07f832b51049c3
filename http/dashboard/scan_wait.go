package dashboard

import (
	"net/http"
	"slices"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
)

// scanWaits are, for the watchlists that are due, the open scan that is closest to
// being done: what it waits for, the watchlist waits for.
type scanWaits map[watchpost.WatchlistID]*actors.OpenTask

// closest orders the reasons for waiting, those of the scans that are done next first.
var closest = []watchpost.PendingReason{
	watchpost.PendingRunning, watchpost.PendingQueued, watchpost.PendingRetry, watchpost.PendingDailyCap, watchpost.PendingWeeklyCap,
	watchpost.PendingPaused, watchpost.PendingExtensionOffline,
}

// serves reports whether a scan is one for a watchlist.
func serves(t *actors.OpenTask, l *actors.WatchlistView) bool {
	return slices.ContainsFunc(t.Targets, func(s watchpost.ScanTarget) bool {
		return s.Watchlist != "" && s.Watchlist == l.Watchlist.ID || s.List != "" && s.List == l.List.ID
	})
}

// waitsOf finds what watchlists wait for.
func waitsOf(open []actors.OpenTask, lists []actors.WatchlistView) scanWaits {
	waits := scanWaits{}
	for i := range open {
		t := &open[i]
		if !t.Type.Scan() {
			continue
		}
		for l := range lists {
			id := lists[l].Watchlist.ID
			if serves(t, &lists[l]) && (waits[id] == nil || slices.Index(closest, t.Reason) < slices.Index(closest, waits[id].Reason)) {
				waits[id] = t
			}
		}
	}
	return waits
}

// maxScans bounds the open tasks that a page looks through for scans.
const maxScans = 500

// scanWaits asks what watchlists wait for, if one of them is due.
func (d *Dashboard) scanWaits(r *http.Request, v *visit, lists []actors.WatchlistView) (scanWaits, error) {
	now := d.Clock.Now()
	if !slices.ContainsFunc(lists, func(l actors.WatchlistView) bool {
		return !l.Watchlist.Disabled && (l.LastScanAt.IsZero() || l.NextScanAt.Before(now))
	}) {
		return nil, nil
	}
	open, err := d.Registry.OpenTasks(r.Context(), v.session.Team, false, maxScans)
	if err != nil {
		return nil, err
	}
	return waitsOf(open.Tasks, lists), nil
}

// waitText says why a scan is not done yet; nil is one that no page knows of. short
// is a word or two for a state.
func waitText(t *actors.OpenTask, team *actors.TeamView, now time.Time) (short, text string) {
	connected := slices.ContainsFunc(team.Presence, func(p actors.MemberPresence) bool { return p.Connected })
	if t == nil {
		if !connected {
			return "Waiting", "No browser with the extension is connected."
		}
		return "Due", "The scan waits for its turn."
	}
	switch t.Reason {
	case watchpost.PendingRunning:
		return "Looking now", "A browser is looking for new posts."
	case watchpost.PendingRetry:
		return "Waiting", "The last scan failed and is tried again at " + clockTime(t.NotBefore, now) + " UTC."
	case watchpost.PendingDailyCap, watchpost.PendingWeeklyCap:
		reset := watchpost.Daily.Reset(now)
		if t.NotBefore.After(now) {
			reset = t.NotBefore
		}
		return "Waiting", "Today’s scans are used up. Goes on at " + clockTime(reset, now) + " UTC, in " + inTime(reset.Sub(now)) + "."
	case watchpost.PendingPaused:
		return "Waiting", pausedText(t.Type, team, now)
	case watchpost.PendingExtensionOffline:
		if connected {
			return "Waiting", "No connected browser has an account of its own."
		}
		return "Waiting", "No browser with the extension is connected."
	}
	return "Due", "The scan waits for its turn."
}

// pausedText says which account is paused that could do a task of that type, and why.
func pausedText(kind watchpost.TaskType, team *actors.TeamView, now time.Time) string {
	for _, p := range team.Presence {
		for _, pause := range p.Pauses {
			if pause.TaskType != "" && pause.TaskType != kind || pause.Action != "" && pause.Action != kind.Action() {
				continue
			}
			m, _ := team.Team.Member(p.Member)
			text := "The account of " + nameOf(m) + " is paused: " + pauseTexts[pause.Reason][0] + "."
			if pause.Until.After(now) {
				text += " Goes on at " + clockTime(pause.Until, now) + " UTC."
			}
			return text
		}
	}
	return "The accounts are paused; the team page says why."
}
