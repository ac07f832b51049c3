package interpret

import "strings"

// roleHeads are the nouns that end the name of a role, in the singular, with
// the level of seniority (as posts show it) that some have by themselves.
var roleHeads = map[string]string{
	"founder": "Founder", "co-founder": "Founder", "cofounder": "Founder", "owner": "Founder", "entrepreneur": "Founder", "solopreneur": "Founder",
	"ceo": "C-Level", "cto": "C-Level", "cfo": "C-Level", "cmo": "C-Level", "coo": "C-Level", "cio": "C-Level", "ciso": "C-Level",
	"chro": "C-Level", "cpo": "C-Level", "cro": "C-Level", "executive": "C-Level", "exec": "C-Level", "president": "C-Level", "officer": "",
	"vp": "VP", "svp": "VP", "evp": "VP", "director": "Director", "head": "Director", "manager": "Manager",
	"intern": "Entry", "trainee": "Entry", "graduate": "Entry", "student": "Entry", "apprentice": "Entry",
	"developer": "", "engineer": "", "programmer": "", "architect": "", "designer": "", "scientist": "", "analyst": "", "consultant": "",
	"marketer": "", "recruiter": "", "headhunter": "", "sourcer": "", "salesperson": "", "seller": "", "representative": "", "rep": "", "sdr": "", "bdr": "",
	"leader": "", "professional": "", "specialist": "", "expert": "", "practitioner": "", "investor": "", "vc": "", "freelancer": "",
	"contractor": "", "administrator": "", "admin": "", "technician": "", "researcher": "", "teacher": "", "nurse": "", "doctor": "", "physician": "",
	"dentist": "", "lawyer": "", "attorney": "", "accountant": "", "bookkeeper": "", "controller": "", "auditor": "", "writer": "", "copywriter": "",
	"editor": "", "journalist": "", "agent": "", "realtor": "", "broker": "", "planner": "", "buyer": "", "operator": "", "coach": "", "trainer": "",
	"tester": "", "strategist": "", "advisor": "", "adviser": "", "coordinator": "", "assistant": "", "maintainer": "", "lead": "", "ops": "",
	"sre": "", "dba": "", "pm": "", "decision-maker": "", "maker": "", "driver": "", "chef": "", "farmer": "", "electrician": "", "plumber": "", "pharmacist": "", "therapist": "",
	"psychologist": "", "scholar": "", "professor": "", "principal": "", "employee": "", "employer": "", "hirer": "", "builder": "", "creator": "",
}

// notRoles are phrases that end like a role and are none.
var notRoles = wordSet(`ai_agent password_manager package_manager task_manager window_manager context_manager note_writer screen_reader market_leader
	cost_driver growth_driver device_driver user_agent mobile_operator website_builder page_builder form_builder
	thought_leader real_estate chatgpt_agent ai_agents ai_writer home_owner block_editor text_editor code_editor video_editor
	data_controller game_controller personal_trainer qr_code_creator`)

// pluralRoles are the plurals that are not made with s.
var pluralRoles = map[string]string{"vps": "vp", "salespeople": "salesperson", "businesspeople": "businessperson", "execs": "exec", "c-levels": "executive"}

// levels are the words for seniority, with the level that posts show.
var levels = map[string]string{
	"senior": "Senior", "sr": "Senior", "staff": "Senior", "principal": "Senior", "experienced": "Senior", "lead": "Senior",
	"junior": "Entry", "jr": "Entry", "entry-level": "Entry", "graduate": "Entry", "trainee": "Entry",
	"mid-level": "", "midlevel": "",
	"c-level": "C-Level", "c-suite": "C-Level", "director-level": "Director", "vp-level": "VP", "executive-level": "C-Level",
}

// demanded are the words before a role that a post is to have beside it,
// because it does not always say them right before: senior data engineer.
var demanded = wordSet(`senior junior entry-level mid-level remote freelance part-time full-time hybrid`)

// openings are words for a position that is offered: a prompt for Go jobs
// looks for posts that hire.
var openings = wordSet(`job jobs role roles position positions opening openings job_opening job_openings vacancy vacancies open_position open_positions
	open_role open_roles job_offer job_offers gig gigs job_posting job_postings job_ad job_ads`)

// isRole reports whether a normalised word is a role.
func isRole(w string) bool {
	_, ok := roleHeads[singularRole(w)]
	return ok
}

// singularRole returns the singular of a word that may be a role.
func singularRole(w string) string {
	if s, ok := pluralRoles[w]; ok {
		return s
	}
	if _, ok := roleHeads[w]; ok {
		return w
	}
	return singular(w)
}

// lasting are words that end with s in the singular, or have no other number.
var lasting = wordSet(`kubernetes aws sales news analytics logistics devops saas paas iaas operations ops okrs ios macos business process access address
	status bonus focus campus virus series species physics economics politics mathematics ethics electronics robotics logistics genomics
	always less lens gas bus plus us is this its has was yes css https dns sms gis nas ats lms pos abs gps cms erps wms tms rss tls
	redis jenkins nginx keras windows js dynamics graphics aerospace sports goods earnings savings headquarters means dbs cps
	kudos asbestos corps chaos canvas atlas texas paris kansas dallas athens brussels wales netherlands states emirates philippines
	customs cookies media women men people finops mlops devsecops secops revops headless wellness happiness fitness illness press
	burnout layoffs reuters siemens mercedes airbus walmart starbucks mcdonalds atlassian asus accenture sap`)

// irregular are plurals of nouns that end with s themselves.
var irregular = map[string]string{
	"buses": "bus", "gases": "gas", "viruses": "virus", "statuses": "status", "bonuses": "bonus", "campuses": "campus", "lenses": "lens",
	"analyses": "analysis", "crises": "crisis", "hypotheses": "hypothesis", "diagnoses": "diagnosis", "choruses": "chorus", "shoes": "shoe",
	"movies": "movie", "cookies": "cookie", "heroes": "hero", "potatoes": "potato", "knives": "knife", "wives": "wife", "wolves": "wolf", "lives": "life",
}

// singular returns the singular of a plural that ends with s, and of other
// words themselves.
func singular(w string) string {
	if s, ok := irregular[w]; ok {
		return s
	}
	if lasting[w] || len(w) < 4 && !isPluralAcronym(w) || !strings.HasSuffix(w, "s") {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"), strings.HasSuffix(w, "ics"), strings.HasSuffix(w, "'s"):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "zzes"):
		return w[:len(w)-2]
	}
	return w[:len(w)-1]
}

func isPluralAcronym(w string) bool { return w == "vcs" || w == "evs" || w == "cvs" || w == "ads" }

// plural returns the plural of a noun in the singular.
func plural(w string) string {
	r := w[max(0, len(w)-2):]
	switch {
	case lasting[w], w == "":
		return w
	case strings.HasSuffix(w, "person"):
		return strings.TrimSuffix(w, "person") + "people"
	case strings.HasSuffix(w, "y") && len(r) == 2 && strings.IndexByte("aeiou", r[0]) < 0:
		return w[:len(w)-1] + "ies"
	case strings.HasSuffix(w, "s"), strings.HasSuffix(w, "x"), strings.HasSuffix(w, "ch"), strings.HasSuffix(w, "sh"):
		return w + "es"
	}
	return w + "s"
}
