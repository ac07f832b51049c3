package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"watchpost/actors"
	"watchpost/actors/root"
	"watchpost/internal/mail/outgoing"
	"watchpost/watchpost"
)

// engaging is what rules and notifications do in a life.
type engaging struct{ *life }

// engage is what members do with rules and notification targets.
func (l engaging) engage(k kind, r *rand.Rand, of *team) {
	l.tell("%s: %s", of.name, k)
	l.client(string(k), func(n *node) {
		var err error
		switch k {
		case "rule":
			err = l.addRule(n, r, of)
		case "rule-deleted":
			var view actors.RulesView
			if view, err = ask[actors.RulesView](n, of, actors.ListRules{}); err == nil && len(view.Rules) > 0 {
				deletions{l.checks}.mayGo(string(view.Rules[0].Rule.ID))
				_, err = ask[root.Done](n, of, actors.DeleteRule{ID: view.Rules[0].Rule.ID})
			}
		case "rules-stop":
			err = l.stopRules(n, of)
		case "rules-go":
			of.ruleGoes++
			_, err = ask[root.Done](n, of, actors.StopRules{})
		case "rule-decides":
			err = l.decideAction(n, r, of)
		case "target":
			err = l.addTarget(n, r, of)
		}
		if err != nil {
			l.bear(of, string(k), err, watchpost.NotFound, watchpost.PlanLimit, watchpost.Conflict)
		}
	})
}

// addRule makes a rule for a watchlist.
func (l engaging) addRule(n *node, r *rand.Rand, of *team) error {
	lists, err := ask[[]actors.WatchlistView](n, of, actors.ListWatchlists{})
	if err == nil && len(lists) == 0 {
		var made actors.WatchlistView
		made, err = ask[actors.WatchlistView](n, of, actors.CreateWatchlist{Watchlist: newWatchlist("of a rule")})
		lists = append(lists, made)
	}
	if err != nil {
		return err
	}
	rule := watchpost.EngagementRule{
		Watchlist: lists[r.IntN(len(lists))].Watchlist.ID, Action: watchpost.ActionLike, PerDay: watchpost.DefaultRuleDaily,
		MinPause: watchpost.DefaultMinPause, MaxPause: watchpost.DefaultMaxPause, Approval: r.IntN(3) == 0,
		Hours: watchpost.DailyHours{Until: 24 * 60},
	}
	if r.IntN(2) == 0 {
		rule.Action, rule.Templates = watchpost.ActionComment, []string{"Well said, {first_name}."}
	}
	if rule, err = rule.Clean(); err != nil {
		l.fail("rule: %v", err)
		return nil
	}
	var emails []string
	if who := of.writers(); r.IntN(2) == 0 {
		emails = []string{who[r.IntN(len(who))]}
	}
	_, err = ask[actors.RuleView](n, of, actors.CreateRule{Rule: rule, Emails: emails})
	return err
}

// stopRules stops all rules. From the answer on the stop is stored, until they may go on.
func (l engaging) stopRules(n *node, of *team) error {
	goes := of.ruleGoes
	_, err := ask[root.Done](n, of, actors.StopRules{Stop: true})
	l.checks.mu.Lock()
	defer l.checks.mu.Unlock()
	if err == nil && goes == of.ruleGoes && !of.dead && !l.checks.stored.stopped[string(of.id)] {
		l.fail("the rules of %s were stopped, and that is not stored", of.name)
	}
	return err
}

// decideAction approves or rejects the oldest proposal.
func (l engaging) decideAction(n *node, r *rand.Rand, of *team) error {
	view, err := ask[actors.RulesView](n, of, actors.ListRules{})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(view.Open, func(a watchpost.RuleAction) bool { return a.State == watchpost.RuleProposed })
	if i < 0 {
		return nil
	}
	a, approve := view.Open[i], r.IntN(2) == 0
	post := ruled(string(of.id), a.URN)
	if approve {
		l.checks.mu.Lock()
		l.checks.stored.approved[post] = true
		l.checks.mu.Unlock()
	}
	_, err = ask[watchpost.RuleAction](n, of, actors.DecideRuleAction{ID: a.ID, Approve: approve})
	if err == nil && !approve {
		l.tell("%s has rejected %s", of.name, a.URN)
		l.checks.mu.Lock()
		l.checks.stored.rejected[post] = true
		l.checks.mu.Unlock()
	}
	return err
}

// addTarget makes a target that mails new posts to the founder.
func (l engaging) addTarget(n *node, r *rand.Rand, of *team) error {
	l.mu.Lock()
	name := fmt.Sprint("target ", l.number())
	l.mu.Unlock()
	_, err := ask[actors.TargetCreated](n, of, actors.CreateTarget{Target: watchpost.NotificationTarget{
		Name: name, Kind: watchpost.TargetEmail, Emails: []string{of.founder}, PerHour: 1 + r.IntN(watchpost.DefaultPerHour),
	}})
	if err == nil {
		l.checks.mu.Lock()
		of.targets = append(of.targets, name)
		l.checks.mu.Unlock()
	}
	return err
}

// mailFault is how the mailer meets a mail.
type mailFault int

const (
	mailRefused mailFault = iota
	mailSilent            // no answer
	mailLost              // delivered, and answered with an error
)

var mailFaults = []mailFault{mailRefused, mailSilent, mailLost}

// mailer is what a node sends mail by.
type mailer struct{ node *node }

// Send implements outgoing.Mailer.
func (m *mailer) Send(ctx context.Context, mail outgoing.Mail) error {
	l := m.node.life
	if len(l.mailAnswers) > 0 {
		how := l.mailAnswers[0]
		l.mailAnswers = l.mailAnswers[1:]
		l.note("mail", fmt.Sprint(how))
		switch how {
		case mailRefused:
			return errors.New("a refusal that the life planned")
		case mailSilent:
			<-ctx.Done()
			m.node.Turn("mail without an answer")
			return ctx.Err()
		case mailLost:
			l.take(mail)
			return errors.New("an answer that the life has lost")
		}
	}
	l.take(mail)
	return nil
}

// take delivers a mail. That of a target begins with its name.
func (l *life) take(mail outgoing.Mail) {
	name, _, _ := strings.Cut(mail.Body, ":")
	l.note("mail", name)
	_, place, _ := strings.Cut(mail.To, "@")
	place, _, _ = strings.Cut(place, ".")
	l.mails[place+" "+name] += mail.Body
}
