package interpret

import (
	"strings"

	"watchpost"
)

// place is where posts are to speak of: the names by which they do.
type place struct {
	name  string   // as it is shown
	texts []string // any of them; the first is looked for in any case
}

// placeTable lists places as "names in prompts: names in posts". Without a
// colon they are the same, the first being the place's. What posts call a
// place must not be an ordinary word when case is folded: the US is never
// looked for as us.
var placeTable = strings.Split(strings.TrimSpace(`
Germany, Deutschland
Austria, Österreich
Switzerland, Schweiz
United States, US, U.S., U.S, the States, America: United States, USA
USA: USA, United States
United Kingdom, U.K., U.K, Great Britain, Britain: United Kingdom, UK
UK: UK, United Kingdom
England; Scotland; Wales; Ireland; France; Italy; Portugal; Belgium; Luxembourg; Denmark; Norway; Sweden; Finland
Spain, España
Netherlands, Holland
Iceland; Poland; Czech Republic; Czechia; Slovakia; Hungary; Romania; Bulgaria; Greece; Croatia; Serbia; Slovenia; Estonia; Latvia; Lithuania
Ukraine; Turkey; Türkiye; Cyprus; Malta; Israel; Egypt; Morocco; Tunisia; Nigeria; Kenya; Ghana; South Africa; Ethiopia; Rwanda
Saudi Arabia; Qatar; Kuwait; Bahrain; Oman; Jordan; Lebanon; Pakistan; Bangladesh; Sri Lanka; Nepal; India; China; Japan; South Korea; Taiwan
UAE, United Arab Emirates: UAE, United Arab Emirates
Hong Kong; Singapore; Malaysia; Indonesia; Thailand; Vietnam; Philippines; Australia; New Zealand; Canada; Mexico; Brazil; Argentina; Chile; Colombia; Peru
Europe; Africa; Asia; Middle East; North America; South America; Latin America; Southeast Asia; Eastern Europe; Western Europe; Scandinavia
EU, European Union: EU, European Union
EMEA; APAC; LATAM; MENA
Berlin; Hamburg; Frankfurt; Stuttgart; Leipzig; Dresden; Dortmund; Düsseldorf; Hannover; Bremen; Essen; Bonn
Munich, München; Cologne, Köln; Nuremberg, Nürnberg
Vienna, Wien; Zurich, Zürich; Geneva, Genève; Basel; Bern; Salzburg; Graz
London; Manchester; Birmingham; Edinburgh; Glasgow; Bristol; Leeds; Liverpool; Cambridge; Oxford; Dublin; Belfast; Cardiff
Paris; Lyon; Marseille; Toulouse; Bordeaux; Lille; Nantes; Nice; Amsterdam; Rotterdam; Utrecht; Eindhoven; Brussels; Antwerp; Ghent
Madrid; Barcelona; Valencia; Seville; Lisbon, Lisboa; Porto; Milan, Milano; Rome, Roma; Turin; Naples
Copenhagen; Stockholm; Oslo; Helsinki; Gothenburg; Warsaw; Krakow; Wroclaw; Prague; Brno; Budapest; Bucharest; Sofia; Athens; Istanbul; Kyiv; Tallinn; Riga; Vilnius; Belgrade; Zagreb
New York, New York City, NYC: New York, NYC
San Francisco; Bay Area; Silicon Valley; Los Angeles; Seattle; Boston; Chicago; Austin; Dallas; Houston; Miami; Atlanta; Denver; Portland; San Diego; Philadelphia; Phoenix; Detroit; Minneapolis; Las Vegas
California; Texas; Florida; Washington; Massachusetts; Colorado; Ohio; Michigan; Illinois; Georgia; Virginia; Arizona; Utah; Oregon
Toronto; Vancouver; Montreal; Ottawa; Calgary; Mexico City; São Paulo; Rio de Janeiro; Buenos Aires; Bogotá; Santiago; Lima
Tokyo; Osaka; Seoul; Beijing; Shanghai; Shenzhen; Taipei; Bangkok; Jakarta; Manila; Kuala Lumpur; Hanoi; Ho Chi Minh City
Mumbai; Delhi; New Delhi; Bangalore, Bengaluru; Hyderabad; Pune; Chennai; Kolkata; Karachi; Lahore; Dhaka
Dubai; Abu Dhabi; Riyadh; Doha; Tel Aviv; Cairo; Lagos; Nairobi; Cape Town; Johannesburg; Accra; Casablanca
Sydney; Melbourne; Brisbane; Perth; Auckland; Wellington
Bavaria, Bayern; Catalonia; Lombardy; Normandy; Flanders; Ontario; Quebec; British Columbia
`), "\n")

// regions are places that posts name by their parts; which parts is a guess.
var regions = map[string][]string{
	"dach": {"Germany", "Austria", "Switzerland"}, "dach region": {"Germany", "Austria", "Switzerland"},
	"nordics": {"Sweden", "Norway", "Denmark", "Finland"}, "nordic countries": {"Sweden", "Norway", "Denmark", "Finland"},
	"baltics": {"Estonia", "Latvia", "Lithuania"}, "baltic states": {"Estonia", "Latvia", "Lithuania"},
	"benelux": {"Belgium", "Netherlands", "Luxembourg"}, "iberia": {"Spain", "Portugal"},
	"german-speaking countries": {"Germany", "Austria", "Switzerland"},
}

// nearby are words for a place that only the writer knows.
var nearby = wordSet(`near_me around_me in_my_area in_my_city in_my_country in_my_region in_my_town in_our_area in_our_region in_our_country in_our_city
	close_to_me around_here locally nearby in_the_area in_my_market near_us near_my_location`)

// maxPlace is the most words of a place's name.
const maxPlace = 4

var places = func() map[string]place {
	table := make(map[string]place)
	add := func(names, texts []string) {
		p := place{names[0], texts}
		for _, n := range names {
			key := watchpost.Normalise(n)
			if _, known := table[key]; !known {
				table[key] = p
			}
		}
	}
	for _, line := range placeTable {
		for entry := range strings.SplitSeq(line, ";") {
			names, texts, differ := strings.Cut(entry, ":")
			if !differ {
				texts = names
			}
			add(splitList(names), splitList(texts))
		}
	}
	return table
}()

func splitList(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		out = append(out, strings.TrimSpace(part))
	}
	return out
}

// placeAt returns the place that the tokens begin with, and its tokens; the
// article before it is one of them.
func placeAt(tokens []token) (place, int) {
	from := 0
	if len(tokens) > 0 && tokens[0].norm == "the" {
		from = 1
	}
	for n := min(maxPlace, len(tokens)-from); n > 0; n-- {
		words := tokens[from : from+n]
		if words[n-1].kind != word || words[0].kind != word {
			continue
		}
		name := norms(words)
		if name == "us" && (from == 0 && words[0].text != "US") { // with us
			continue
		}
		if p, ok := places[name]; ok {
			return p, from + n
		}
		if parts, ok := regions[name]; ok {
			return place{texts(words), parts}, from + n
		}
	}
	return place{}, 0
}

// isRegion reports whether a place is looked for by its parts.
func (p place) isRegion() bool {
	_, ok := regions[watchpost.Normalise(p.name)]
	return ok
}
