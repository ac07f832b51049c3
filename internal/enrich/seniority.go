package enrich

import (
	"strings"
	"unicode"

	"watchpost/internal/text"
)

// The seniority of an author is the highest level of a title in the headline
// (titles). A title is one or more whole words, ignoring accents and case. The
// longest match is taken, so that Vice President is not President, and Product
// Owner not Owner. Titles that are not the author's own do not count:
//
//   - after words that lead to another person or to the employer, until the
//     next separator: Assistant to the CEO, helping founders, Engineer at
//     Director Labs (leads);
//   - after words that negate them, until the separator, or until a word that
//     ends the negation: former CEO, now Director (denials, returns).

// level is a level of seniority, with its points of influence, and tenths of
// relevance.
type level struct {
	name      string
	influence int
	relevance int
}

// levels is the table of levels, highest first. A founder and chief executive
// is C-Level.
var levels = []level{
	{"C-Level", 20, 10},
	{"Founder", 18, 9}, // also owners and partners
	{"VP", 16, 9},
	{"Director", 13, 8},
	{"Manager", 9, 6},
	{"Senior", 6, 4}, // experts and leads
	{"Entry", 2, 2},
}

// levelOf returns the level of a name; the zero level for none.
func levelOf(name string) level {
	for _, l := range levels {
		if l.name == name {
			return l
		}
	}
	return level{}
}

// titles lists the titles of each level, separated by commas. Those under ""
// have no level; they prevent matches of shorter titles in them. A title that
// begins with = counts only when it is the author's whole segment between
// separators.
var titles = map[string]string{
	"C-Level": `ceo, cto, cfo, coo, cmo, cio, ciso, cpo, cro, chro, cdo, cso, cco, cxo, co ceo, chief executive, president, co president,
		chairman, chairwoman, chairperson, board member, member of the board, board of directors, managing director, executive chair,
		geschaftsfuhrer, geschaftsfuhrerin, geschaftsfuhrender gesellschafter, vorstand, vorstandsvorsitzender, vorstandsvorsitzende,
		pdg, directeur general, directrice generale, presidente, director general, directora general, consejero delegado, diretor geral,
		amministratore delegato, direttore generale, dg, 首席执行官, 总裁, 董事长, 代表取締役, 社長, 대표이사`,
	"Founder": `founder, cofounder, co founder, founding partner, owner, co owner, proprietor, managing partner, general partner,
		equity partner, =partner, =senior partner, entrepreneur, serial entrepreneur, grunder, grunderin, mitgrunder, mitgrunderin, inhaber,
		inhaberin, fondateur, fondatrice, cofondateur, cofondatrice, fundador, fundadora, cofundador, cofundadora, fondatore, cofondatore,
		titolare, proprietario, emprendedor, entrepreneuse, 创始人, 创业者, 創業者`,
	"VP": `vp, svp, evp, avp, gvp, vice president, vizeprasident, vice presidente, vicepresidente, vicepresidenta, vicepresident, 副总裁`,
	"Director": `director, directora, directeur, directrice, direktor, direktorin, diretor, diretora, direttore, direttrice, head, leiter, leiterin,
		bereichsleiter, abteilungsleiter, abteilungsleiterin, chief of staff, chief, general manager, country manager, dean, prokurist,
		总监, 部長, 본부장`,
	"Manager": `manager, managers, mgr, teamleiter, teamleiterin, team lead, team leader, teamlead, supervisor, projektleiter, projektleiterin,
		gerente, chef de projet, chef de produit, jefe, jefa, coordinador, coordinadora, coordenador, coordenadora, coordinator,
		scrum master, foreman, responsable, 经理, 課長, 팀장`,
	"Senior": `senior, sr, lead, principal, staff, expert, expertin, distinguished, fellow, professor, profesor, professeur, professore, 高级, 主任`,
	"Entry": `junior, jr, entry level, intern, internship, trainee, apprentice, student, undergraduate, recent graduate, graduate trainee, assistant, associate,
		ceo assistant, ceo s assistant, president s assistant, account executive, werkstudent, werkstudentin, praktikant, praktikantin, azubi, auszubildende,
		auszubildender, assistentin, assistent, stagiaire, etudiant, etudiante, alternant, alternante, assistante, becario, becaria, estudiante,
		asistente, estagiario, estagiaria, estudante, assistente, stagista, studente, studentessa, 实习生, 学生, 인턴`,
	"": `product owner, process owner, service owner, data owner, home owner, dog owner, partner manager, president s club, head hunter,
		lead generation, staffing, director s cut, head start, help desk`,
}

// leads are words after which titles belong to another person.
var leads = wordSet(`to for at of_the office_of help helps helping empower empowers empowering support supports supporting advising assisting
	working_with work_with hiring_a looking seeking bei fur fuer chez pour para en presso`)

// denials are words after which titles are not, or no longer, the author's.
var denials = wordSet(`former formerly ex past previous previously retired aspiring future wannabe not ehemaliger ehemalige ancien ancienne
	anterior antiguo antigua antigo antiga fruher fruhere`)

// returns are words that end a denial.
var returns = wordSet(`now currently current turned today jetzt heute maintenant ahora agora adesso`)

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(list) {
		set[strings.ReplaceAll(w, "_", " ")] = true
	}
	return set
}

// title is the meaning of a phrase.
type title struct {
	rank  int  // in levels; len(levels) for none
	alone bool // only as the whole segment between separators
}

// maxTitle bounds the words of a title.
const maxTitle = 4

// titleTable finds titles by their words; attached holds those of scripts
// without spaces.
var titleTable, attached = func() (map[string]title, map[string]int) {
	table, attached := make(map[string]title), make(map[string]int)
	add := func(rank int, list string) {
		for phrase := range strings.SplitSeq(list, ",") {
			phrase, alone := strings.CutPrefix(strings.TrimSpace(phrase), "=")
			if strings.ContainsFunc(phrase, isSyllabic) {
				attached[text.Normalize(phrase)] = rank
				continue
			}
			table[text.Normalize(phrase)] = title{rank, alone}
		}
	}
	for i, l := range levels {
		add(i, titles[l.name])
	}
	add(len(levels), titles[""])
	return table, attached
}()

func isSyllabic(r rune) bool { return unspaced(r) || unicode.Is(unicode.Hangul, r) }

// seniority returns the name of a headline's level, or "".
func seniority(headline string) string {
	best := len(levels)
	for segment := range strings.FieldsFuncSeq(separate(headline), isSeparator) {
		best = min(best, segmentRank(words(segment)))
	}
	if best == len(levels) {
		return ""
	}
	return levels[best].name
}

// separate normalises a headline and replaces dashes between words, but not
// inside words, with commas.
func separate(headline string) string {
	return dashes.Replace(text.Normalize(headline))
}

var (
	dashes    = strings.NewReplacer(" - ", ",", "–", ",", "—", ",", " @", " at ")
	spellings = strings.NewReplacer("c.e.o", "ceo", "c.t.o", "cto", "c.f.o", "cfo", "v.p", "vp", "'s ", " s ", "’s ", " s ")
)

// isSeparator reports whether r separates two segments of a headline.
func isSeparator(r rune) bool {
	return strings.ContainsRune(",;|/•·●▪|、，。:()[]!✦★➤►→", r)
}

// words splits a segment; different spellings of a title become one.
func words(segment string) []string {
	return strings.FieldsFunc(spellings.Replace(segment), notWord)
}

// segmentRank returns the highest rank of the author's own titles in a
// segment.
func segmentRank(words []string) int {
	best, denied := len(levels), false
	for i := 0; i < len(words); {
		w := words[i]
		t, n := titleAt(words, i)
		switch {
		case n == 0 && leadsAway(words, i):
			return best
		case n == 0 && denials[w]:
			denied = true
		case n == 0 && returns[w]:
			denied = false
		case !denied && n > 0 && (!t.alone || i == 0 && (n == len(words) || leadsAway(words, n))):
			best = min(best, t.rank)
		case !denied && n == 0:
			best = min(best, attachedRank(w))
		}
		i += max(n, 1)
	}
	return best
}

// leadsAway reports whether the text from word i on is about another person.
func leadsAway(words []string, i int) bool {
	return leads[words[i]] || i+1 < len(words) && leads[words[i]+" "+words[i+1]]
}

// titleAt returns the longest title that begins with word i, and its words.
func titleAt(words []string, i int) (title, int) {
	if words[i] == "chief" { // Chief Something Officer
		for j := i + 2; j < len(words) && j <= i+maxTitle; j++ {
			if words[j] == "officer" {
				return title{rank: 0}, j - i + 1
			}
		}
	}
	for n := min(maxTitle, len(words)-i); n > 0; n-- {
		if t, ok := titleTable[strings.Join(words[i:i+n], " ")]; ok {
			return t, n
		}
	}
	return title{}, 0
}

// attachedRank returns the rank of the longest title inside a word of a script
// without spaces.
func attachedRank(w string) int {
	best, longest := len(levels), 0
	if !strings.ContainsFunc(w, isSyllabic) {
		return best
	}
	for phrase, rank := range attached {
		switch {
		case len(phrase) < longest || !strings.Contains(w, phrase):
		case len(phrase) > longest:
			best, longest = rank, len(phrase)
		default:
			best = min(best, rank)
		}
	}
	return best
}
