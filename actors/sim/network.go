package sim

import (
	"cmp"
	"encoding/json"
	"fmt"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// network is the stand-in for the network: it alone knows which writes were done.
type network struct {
	life *life
	// done are the writes that were done, with the account that did each.
	done map[string]watchpost.AccountURN
	// touched counts what each account did in a period, by action.
	touched map[usage]int
	// reads are the attempts of reads that have touched it: one that begins again
	// after a crash is the same to the service.
	reads map[string]bool
	posts []protocol.Post
	// answers are how the network meets the next tasks of an account; empty: well.
	answers map[watchpost.AccountURN][]answer
}

type usage struct {
	account watchpost.AccountURN
	action  watchpost.Action
	period  string
}

func (u usage) compare(o usage) int {
	return cmp.Or(cmp.Compare(u.account, o.account), cmp.Compare(u.action, o.action), cmp.Compare(u.period, o.period))
}

// entry is what follows the prefix of its ledger's key.
func (u usage) entry() string {
	return u.period + "\x00" + string(u.account) + "\x00" + string(u.action)
}

// answer is how the network meets a task.
type answer string

const (
	well       answer = ""
	silentDone answer = "done without an answer"
	silentNot  answer = "not done, without an answer"
	strange    answer = "an unreadable answer"
	slow       answer = "slowly" // a write; other work is not slowed down
)

// refusals are the answers that are error codes of the protocol, or a code that the
// service does not know.
var refusals = []answer{
	protocol.CodeNotFound, protocol.CodeSignedOut, protocol.CodePageNotUnderstood, protocol.CodeNetworkLimit, protocol.CodeTimeout,
	protocol.CodeNotConnected, protocol.CodeChallenge, "of another version",
}

func newNetwork(l *life) *network {
	return &network{
		life: l, done: map[string]watchpost.AccountURN{}, touched: map[usage]int{}, reads: map[string]bool{},
		answers: map[watchpost.AccountURN][]answer{},
	}
}

// meet takes the next answer for an account.
func (n *network) meet(account watchpost.AccountURN) answer {
	of := n.answers[account]
	if len(of) == 0 {
		return well
	}
	n.answers[account] = of[1:]
	return of[0]
}

// count counts that an account touched the network for a task, and holds it against
// the allowance.
func (n *network) count(account watchpost.AccountURN, kind watchpost.TaskType) {
	allowance, ok := watchpost.AllowanceOf(kind.Action())
	if !ok {
		return
	}
	u := usage{account, allowance.Action, allowance.Period.Key(n.life.now())}
	if n.touched[u]++; n.touched[u] > allowance.Limit {
		n.life.fail("%s did %s %d times in the period %s, and may %d times", account, u.action, n.touched[u], u.period, allowance.Limit)
	}
}

// write does a write.
func (n *network) write(account watchpost.AccountURN, task string, kind watchpost.TaskType) {
	if by, done := n.done[task]; done {
		n.life.fail("write %s of %s is done twice, by %s and %s", task, kind, by, account)
	}
	n.done[task] = account
	n.life.checks.wroteForRule(task)
	n.life.checks.wrote(task)
	n.count(account, kind)
	n.life.tell("%s has done %s %s", account, kind, task)
}

// read answers a read.
func (n *network) read(account watchpost.AccountURN, task string, attempt int, kind watchpost.TaskType) json.RawMessage {
	if key := fmt.Sprint(task, " ", attempt); !n.reads[key] {
		n.reads[key] = true
		n.count(account, kind)
	}
	if kind.Scan() {
		exhausted := true
		output, _ := json.Marshal(protocol.PostsOutput{Posts: n.posts, Exhausted: &exhausted})
		return output
	}
	output, _ := json.Marshal(map[string]string{"name": markOf(task)})
	return output
}

// markOf is what a completed task shows that a browser has sent.
func markOf(task string) string { return "mark-of-" + task }

// publish adds a post.
func (n *network) publish() {
	i := len(n.posts)
	n.posts = append(n.posts, protocol.Post{
		URN: fmt.Sprint("urn:n:post:", i), URL: fmt.Sprint("https://network.example/posts/", i), Content: "we go on with go",
		AuthorName: "Jane", AuthorURL: fmt.Sprint("https://network.example/in/jane", i%3), PostedAt: n.life.now(), Type: "text",
	})
}
