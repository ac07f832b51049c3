package interpret_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/interpret"
)

func rules(t *testing.T, text string) interpret.Result {
	t.Helper()
	r, err := interpret.Rules{}.Interpret(t.Context(), interpret.Prompt{Text: text})
	require.NoError(t, err, text)
	hold(t, text)
	return r
}

// TestUnderstood lists the expected entries of prompts: + before a required
// word, | before one of several alternatives, - before an excluded word. It
// shows only the first entries.
func TestUnderstood(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ prompt, want string }{
		{`(AI OR "machine learning") AND (healthcare OR hospitals) NOT webinars`, "AI |healthcare |healthcares |hospitals |hospital -webinars -webinar"},
		{"kube-hunter AND trivy OR kubescape -webinars", "kube-hunter |trivy |trivies -webinars"},
		{"Boeing employees on quality problems and safety", "Boeing |quality"},
		{"Zscaler vs Netskope vs Cloudflare for zero trust", "Zscaler |zero"},
		{"Theranos or Elizabeth Holmes, not the movie, and also posts by our founder Priya Raman", "Theranos -movie -movies\nElizabeth Holmes -movie -movies\nPriya Raman -movie -movies"},
		{"Companies switching from Jira to Linear or Asana", "Jira |Linear"},
		{"Steam Deck or ROG Ally battery life complaints", "Steam Deck |battery"},
		{"Posts about both Terraform and Pulumi in Germany", "Terraform +Germany +Pulumi"},
		{"1. vertical farming\n2. cultivated meat\n3. mycoprotein\nOnly in Spain", "vertical farming |Spain"},
		{`Posts about "quantum annealing" or #qubits, without "crypto"`, "quantum annealing -crypto\n#qubits -crypto"},
		{"Posts about kube-hunter. Must mention Trivy or Grype. Not webinars.", "kube-hunter |Trivy |Grype -webinars -webinar"},
		{"(Snowflake OR Databricks) AND (migration OR migrating) NOT (hiring OR webinar)", "Snowflake |switching"},
		{"Posts on Baldur's Gate 3 modding, no trailers", "Baldurs Gate 3 +modding -trailers -trailer"},
		{"Must mention Terraform and either OpenTofu or Pulumi, in English", "Terraform |OpenTofu |Pulumi"},
		{"Discussion of precision fermentation (e.g. Perfect Day, Formo) and cultivated meat", "precision fermentation\nPerfect Day |precision fermentation"},
		{"Skip:\n- webinars\n- trailers\nTrack:\n- heat pumps\n- solar panels", "heat pumps -webinars -webinar -trailers -trailer\nsolar panels"},
		{"Competitor watch: Asana, ClickUp, monday.com — pricing changes, outages", "Asana |pricing |changes |change |outages |outage\nClickUp"},
		{"Stripe Billing vs Chargebee vs Recurly, pricing complaints", "Stripe Billing +pricing\nChargebee +pricing\nRecurly +pricing"},
		{"Discussions around the four-day work week, but only in the public sector", "four-day work |public"},
		{"People who had a bad experience with Lufthansa, KLM or Air France refunds", "Lufthansa |refunds |refund\nKLM |refunds |refund\nAir France"},
		{"CEO announcements of layoffs in German automotive suppliers", "layoffs |German |Germany"},
		{"Busco opiniones de clientes sobre Glovo o Just Eat en Barcelona", "Glovo +Barcelona\nJust Eat +Barcelona"},
		{"posts about electric school buses, biochar and geothermal plants in Iceland", "electric school |Iceland |Icelandic |Islandia |Islande"},
		{"Посты о проблемах с доставкой от Ozon и Wildberries в этом году", "Ozon\nWildberries"},
		{"Beiträge über Wärmepumpen in Österreich, aber nicht über Messen", "Wärmepumpen |Österreich"},
	} {
		got := strings.NewReplacer("'", "", "  ", "").Replace(written(rules(t, c.prompt).Keywords))
		require.True(t, strings.HasPrefix(got, c.want), "%s\n%s", c.prompt, got)
	}
}

// TestUnknownLanguage: a prompt in a language without word classes, and without
// names and quotes, is refused with an example about one of its words.
func TestUnknownLanguage(t *testing.T) {
	t.Parallel()
	for prompt, word := range map[string]string{
		"Bericht van mensen die klagen over vertraging bij de trein in het zuiden": "vertraging",
		"Türk şirketlerinde uzaktan çalışma hakkında şikayetleri bul lütfen":       "şirketlerinde",
		"посты людей которые жалуются на доставку еды в городе каждый день":        "жалуются",
	} {
		_, err := interpret.Rules{}.Interpret(t.Context(), interpret.Prompt{Text: prompt})
		var refused *interpret.Refused
		require.ErrorAs(t, err, &refused, prompt)
		require.Equal(t, interpret.NoSubject, refused.Reason)
		require.Contains(t, refused.Example, `"`+word+`"`)
		holdRefused(t, refused)
	}
}

func TestFrequency(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]int{
		"": 0, ", hourly": 1, ", every hour": 1, ", every 4 hours": 3, ", every 6 hours": 6, ", twice a day": 12, ", three times a day": 6, ", daily": 24,
		", every other day": 48, ", every 3 days": 72, ", weekly": 72, ", einmal täglich": 24, ", zweimal am Tag": 12, ", chaque semaine": 72, ", dos veces al día": 12,
		", toda semana": 72, ", una volta al giorno": 24, ", har din": 24, ", हर घंटे": 1, ", كل يوم": 24,
	} {
		r := rules(t, "Posts about kube-hunter in Germany or Spain"+said)
		require.Equal(t, want, r.Hours, said)
		require.Contains(t, r.Keywords[0].Keyword, "kube-hunter")
		require.NotContains(t, written(r.Keywords), "day")
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	r := rules(t, "Track Peloton and split into: buying intent, complaints, resale")
	require.Len(t, r.Labels, 3)
	require.Equal(t, "complaints", r.Labels[1].Name)
	require.Contains(t, r.Labels[1].Description, "unhappy")
	r = rules(t, "People complaining about kube-hunter or asking for recommendations")
	require.Len(t, r.Labels, 2, "%+v", r.Labels)
	require.Equal(t, "Complaint", r.Labels[0].Name)
}

func TestSlots(t *testing.T) {
	t.Parallel()
	r := rules(t, "Posts in German by senior data engineers about kube-hunter in Austria, not job ads")
	slots := map[string]interpret.Slot{}
	at := -1
	for _, s := range r.Slots {
		slots[s.Name] = s
		for i, name := range interpret.SlotNames {
			if name == s.Name {
				require.Greater(t, i, at, "in the order of SlotNames")
				at = i
			}
		}
	}
	require.Equal(t, []string{"kube-hunter"}, slots[interpret.SlotSubject].Values)
	require.Equal(t, []string{"Austria"}, slots[interpret.SlotLocation].Values)
	require.Equal(t, []string{"de"}, slots[interpret.SlotLanguage].Values)
	require.Equal(t, []string{"Senior"}, slots[interpret.SlotSeniority].Values)
	require.Equal(t, interpret.Stated, slots[interpret.SlotKeywords].Source)
	require.Equal(t, interpret.Inferred, slots[interpret.SlotExclusions].Source, "other words for job ads")
}

// TestLevelsAndUp: a level with “and up” behind it stands for those above it too, in the
// order of the ladder.
func TestLevelsAndUp(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][]string{
		"People complaining about Salesforce pricing, directors and up":        {"Director", "VP", "C-Level"},
		"Posts by managers or above about carbon accounting":                   {"Manager", "Director", "VP", "C-Level"},
		"Beiträge von Direktoren und höher über Wärmepumpen":                   {"Director", "VP", "C-Level"},
		"Publications de directeurs et plus sur les pompes à chaleur":          {"Director", "VP", "C-Level"},
		"Posts by directors about Salesforce pricing going up and up":          {"Director"},
		"Posts by founders and up about carbon accounting":                     {"Founder"},
		"Posts by directors and managers about how to move up with Salesforce": {"Director", "Manager"},
	} {
		var got []string
		for _, s := range rules(t, prompt).Slots {
			if s.Name == interpret.SlotSeniority {
				got = s.Values
			}
		}
		require.Equal(t, want, got, prompt)
	}
}

// TestForum: the names of communities are not part of a forum watchlist's
// keywords.
func TestForum(t *testing.T) {
	t.Parallel()
	const text = "questions on r/selfhosted or Hacker News about Nextcloud and Immich"
	r, err := interpret.Rules{}.Interpret(t.Context(), interpret.Prompt{Text: text, Forum: true})
	require.NoError(t, err)
	require.Contains(t, written(r.Keywords), "Nextcloud")
	require.NotContains(t, strings.ToLower(written(r.Keywords)), "hacker")
	require.NotContains(t, written(r.Keywords), "selfhosted")
}

// TestFrequenciesOfCorpus: the committed table equals the table of the corpus.
// Without a corpus (WATCHPOST_CORPUS) it compares nothing.
func TestFrequenciesOfCorpus(t *testing.T) {
	t.Parallel()
	corpus := os.Getenv("WATCHPOST_CORPUS")
	if corpus == "" {
		t.Skip("WATCHPOST_CORPUS names no corpus")
	}
	out := filepath.Join(t.TempDir(), "frequencies.txt")
	made, err := exec.CommandContext(t.Context(), "go", "run", "./frequencies", "-corpus", corpus, "-out", out).CombinedOutput()
	require.NoError(t, err, "%s", made)
	want, err := os.ReadFile(out)
	require.NoError(t, err)
	got, err := os.ReadFile("frequencies.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}
