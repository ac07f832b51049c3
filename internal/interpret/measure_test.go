package interpret_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/interpret"
	"watchpost/internal/text"
	"watchpost/watchpost"
)

var (
	showFailures = flag.Bool("failures", false, "print what fails of the open half")
	onlyFile     = flag.String("file", "", "measure only the prompts of this file")
	showHeld     = flag.Bool("held", false, "measure the half that is held back")
)

// asked is a prompt with wanted and unwanted posts, or with the reason of its
// refusal.
type asked struct {
	language, hand   string
	prompt, reason   string
	wanted, unwanted []string
	forum            bool
	open             bool
}

// held reports whether a prompt is in the held-out half. The prompts of the
// files open*.txt are not.
func (a asked) held() bool {
	if a.open {
		return false
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(a.prompt))
	return h.Sum32()%2 == 1
}

// readAsked reads testdata/prompts. "@ language hand" begins a prompt. "?"
// marks its first line, "|" a further line, "+" a wanted post, "-" an unwanted
// post, "!" the reason of a refusal.
func readAsked(t testing.TB) []asked {
	t.Helper()
	files, err := filepath.Glob("testdata/prompts/*.txt")
	require.NoError(t, err)
	var all []asked
	for _, f := range files {
		if *onlyFile != "" && filepath.Base(f) != *onlyFile {
			continue
		}
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			sign, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if sign == "@" {
				language, hand, _ := strings.Cut(rest, " ")
				all = append(all, asked{language: language, hand: hand, forum: strings.Contains(hand, "forum"), open: strings.HasPrefix(filepath.Base(f), "open")})
				continue
			}
			if sign == "" {
				continue
			}
			a := &all[len(all)-1]
			switch sign {
			case "?":
				a.prompt = rest
			case "|":
				a.prompt += "\n" + rest
			case "+":
				a.wanted = append(a.wanted, rest)
			case "-":
				a.unwanted = append(a.unwanted, rest)
			case "!":
				a.reason = rest
			default:
				require.Fail(t, "unreadable line", "%s: %s", f, line)
			}
		}
	}
	return all
}

// score sums up the results for a set of prompts.
type score struct {
	prompts, usable            int
	wanted, wantedMatched      int
	unwanted, unwantedMatched  int
	refusals, refused, rightly int
	accepted, scans            int
}

func (s score) String() string {
	of := func(n, all int) string {
		if all == 0 {
			return "    –"
		}
		return fmt.Sprintf("%5.1f", 100*float64(n)/float64(all))
	}
	return fmt.Sprintf("%4d %s %s %s %5.2f   %3d %s %s", s.prompts, of(s.usable, s.prompts), of(s.wantedMatched, s.wanted), of(s.unwantedMatched, s.unwanted),
		float64(s.scans)/float64(max(s.accepted, 1)), s.refusals, of(s.rightly, s.refused), of(s.rightly, s.refusals))
}

// broken returns the rule of results that an interpretation breaks.
func broken(r interpret.Result, prompt string) string {
	if len(r.Keywords) > 12 {
		return "entries"
	}
	for _, k := range r.Keywords {
		words := strings.Fields(k.Keyword)
		quoted := strings.Contains(text.Normalize(prompt), `"`+text.Normalize(k.Keyword)+`"`)
		if len(words) > 4 && !quoted && strings.ToLower(k.Keyword) == k.Keyword {
			return "words: " + k.Keyword
		}
		if !k.AnyRequired && len(k.Required) > 4 {
			return "required"
		}
		content := text.New(k.Keyword + " \n " + strings.Join(k.Required, " \n "))
		if !k.Matcher().Match(content) {
			return "wanted and excluded: " + k.Keyword
		}
		// An entry that matches everyday posts has a single generic word.
		n := 0
		for _, p := range everyday {
			if k.Matcher().Match(text.New(p)) {
				n++
			}
		}
		if n > 0 {
			return "generic: " + k.Keyword
		}
	}
	return ""
}

// everyday are posts that no prompt asks for.
var everyday = []string{
	"Happy Monday everyone! New week, new energy. What are your plans for today?",
	"So proud of my team. We worked hard this year and it shows. Thank you all for the support!",
	"I am happy to share that I am starting a new position as manager at a great company in the city.",
	"Three tips for better meetings: be on time, have a plan, and listen to people.",
	"Hallo zusammen, heute war ein guter Tag. Danke an das ganze Team und alle Kunden für die tolle Arbeit.",
	"Merci à toute l'équipe pour cette belle année, le travail et les projets avec nos clients.",
	"Gracias a todo el equipo por el trabajo de este año. Un gran día para la empresa y nuestros clientes.",
	"Obrigado a toda a equipe pelo trabalho deste ano. Um grande dia para a empresa e os clientes.",
	"Grazie a tutto il team per il lavoro di quest'anno, una bella giornata per l'azienda e i clienti.",
	"Aaj ka din bahut accha tha, sab log khush hain aur kaam bhi ho gaya.",
}

// grade scores the interpretation of one prompt. fault describes its fault.
func grade(a asked, r interpret.Result, err error) (s score, fault string) {
	var refused *interpret.Refused
	no := errors.As(err, &refused)
	if no {
		s.refused = 1
	}
	if a.reason != "" {
		s.refusals = 1
		if no {
			s.rightly = 1
			if refused.Reason != a.reason {
				return s, "refused as " + refused.Reason
			}
			return s, ""
		}
		return s, "not refused"
	}
	s.prompts, s.wanted, s.unwanted = 1, len(a.wanted), len(a.unwanted)
	if no {
		return s, "refused as " + refused.Reason
	}
	keywords := map[string]bool{} // entries with one keyword share a scan
	for _, k := range r.Keywords {
		keywords[text.NormalizeName(k.Keyword)] = true
	}
	s.accepted, s.scans = 1, len(keywords)
	match := func(posts []string) (n int, which []bool) {
		for _, p := range posts {
			text := text.New(p)
			m := slices.ContainsFunc(r.Keywords, func(k watchpost.KeywordEntry) bool { return k.Matcher().Match(text) })
			if which = append(which, m); m {
				n++
			}
		}
		return n, which
	}
	var w, u []bool
	s.wantedMatched, w = match(a.wanted)
	s.unwantedMatched, u = match(a.unwanted)
	rule := broken(r, a.prompt)
	if rule == "" && s.wantedMatched*2 >= s.wanted && s.unwantedMatched*4 <= s.unwanted {
		s.usable = 1
	}
	if s.usable == 0 || s.wantedMatched < s.wanted || s.unwantedMatched > 0 {
		fault = fmt.Sprintf("%s wanted %v unwanted %v", rule, w, u)
	}
	return s, fault
}

func (s *score) add(x score) {
	s.prompts += x.prompts
	s.usable += x.usable
	s.wanted += x.wanted
	s.wantedMatched += x.wantedMatched
	s.unwanted += x.unwanted
	s.unwantedMatched += x.unwantedMatched
	s.refusals += x.refusals
	s.refused += x.refused
	s.rightly += x.rightly
	s.accepted += x.accepted
	s.scans += x.scans
}

// TestPromptMeasure measures how well prompts are interpreted. It prints a
// table per language: the number of prompts to accept; the percentage of usable
// results (the rules hold, at least half of the wanted posts match and at most
// a quarter of the unwanted ones); the percentages of wanted and of unwanted
// posts matched; the mean number of scans; the number of prompts to refuse;
// precision and recall of refusals.
func TestPromptMeasure(t *testing.T) {
	t.Parallel()
	scores, others := map[string]*score{}, &score{}
	var total score
	for _, a := range readAsked(t) {
		if a.held() != *showHeld {
			continue
		}
		r, err := interpret.Rules{}.Interpret(context.Background(), interpret.Prompt{Text: a.prompt, Forum: a.forum})
		s, fault := grade(a, r, err)
		if fault != "" && *showFailures && !*showHeld {
			t.Logf("%d %s %q\n%s\n%s", s.usable, a.language, a.prompt, fault, written(r.Keywords))
		}
		if scores[a.language] == nil {
			scores[a.language] = &score{}
		}
		scores[a.language].add(s)
		total.add(s)
		if a.language != "en" {
			others.add(s)
		}
	}
	t.Log("language      n usable wanted unwanted scans refuse precision recall")
	for _, l := range slices.Sorted(maps.Keys(scores)) {
		t.Logf("%-10s %s", l, scores[l])
	}
	t.Logf("%-10s %s", "not en", others)
	t.Logf("%-10s %s", "all", total)
}

// written formats keywords: + before a required word, - before an excluded one.
func written(entries []watchpost.KeywordEntry) string {
	var lines []string
	for _, e := range entries {
		sign := "+"
		if e.AnyRequired {
			sign = "|"
		}
		line := "  " + e.Keyword
		for _, r := range e.Required {
			line += " " + sign + "'" + r + "'"
		}
		for _, x := range e.Excluded {
			line += " -'" + x + "'"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
