package interpret

import (
	"strings"

	"watchpost"
)

// termGroups lists names of the same thing; a prompt that says one of them
// looks for the others too, up to maxVariants. Flags in front of a group:
//
//	=  spellings of one another, exchanged inside phrases too
//	!  a name so telling that words beside it are required words, and not
//	   part of a phrase: Kubernetes security is not always said so
//
// A name in round brackets is understood but never looked for: it would find
// too much (Go, IT).
var termGroups = strings.Split(strings.TrimSpace(`
=! Kubernetes, k8s
= Golang, (Go)
! Terraform
! Docker
=! PostgreSQL, Postgres
=! React, React.js, ReactJS
=! Vue.js, Vue, VueJS
=! Node.js, NodeJS
=! Next.js, NextJS
= .NET, dotnet
= TypeScript
! Python
! Rust
! Snowflake
! Salesforce
! HubSpot
! Shopify
! Notion
! Figma
! Jira
! ChatGPT
! OpenAI
! Kafka
! AWS, Amazon Web Services
! GCP, Google Cloud
! Azure
AI, artificial intelligence
generative AI, GenAI
machine learning
LLM, LLMs, large language model, large language models
AI agents, AI agent, agentic AI
RAG, retrieval augmented generation
natural language processing, NLP
computer vision
prompt engineering
CI/CD, continuous integration
SRE, site reliability engineering
infrastructure as code, IaC
platform engineering
DevOps
DevSecOps
MLOps
= cybersecurity, cyber security
information security, infosec
zero trust
ransomware
data privacy
! GDPR
SaaS, software as a service
B2B SaaS
CRM, customer relationship management
ERP, enterprise resource planning
SEO, search engine optimization, search engine optimisation
HR, human resources
HR tech, HRTech
UX, user experience
VC, venture capital
IPO, initial public offering
M&A, mergers and acquisitions
ESG
OKRs, OKR, objectives and key results
return to office, RTO, back to the office
remote work, remote working, working remotely, work from home
hybrid work, hybrid working
four-day week, 4-day week, four-day work week
= e-commerce, ecommerce
fintech
= healthtech, health tech
= edtech, ed tech
= proptech, prop tech
= climate tech, climatetech, cleantech
insurtech
internet of things, IoT
augmented reality
virtual reality, VR
electric vehicles, electric vehicle, EVs
product-led growth, product led growth, PLG
account-based marketing, account based marketing, ABM
go-to-market, go to market, GTM
product-market fit, product market fit, PMF
layoffs, layoff, laid off, job cuts
fundraising, raising funds
= startup, start-up
= startups, start-ups
= co-founder, cofounder
= co-founders, cofounders
cryptocurrency, crypto
= low-code, low code
= no-code, no code
= open source, open-source
= full-stack, full stack, fullstack
= front-end, frontend, front end
= back-end, backend, back end
sales development representative, SDR
customer success
employer branding, employer brand
employee burnout, burnout at work
burnout
mental health
diversity and inclusion, DEI
supply chain
applicant tracking system, ATS
learning management system, LMS
point of sale, POS system
business intelligence
API, APIs
data engineering
data warehouse, data warehousing
vector database, vector databases
developer experience, DevEx
technical debt, tech debt
developer productivity
observability
information technology, (IT)
R programming, rstats, (R)
C programming, (C)
cold email, cold emails, cold emailing
cold calling, cold calls
lead generation, lead gen
content marketing
influencer marketing
user-generated content, UGC
demand generation, demand gen
= decision-makers, decision makers
series A, Series A round
seed round, seed funding
pre-seed, pre seed
CEO, chief executive officer
CTO, chief technology officer
CFO, chief financial officer
CMO, chief marketing officer
COO, chief operating officer
CIO, chief information officer
CISO, chief information security officer
CHRO, chief human resources officer
CPO, chief product officer
CRO, chief revenue officer
VP of sales, VP sales
VP of engineering, VP engineering
software engineer, software developer
carbon footprint
carbon accounting
renewable energy, renewables
solar energy, solar power
green hydrogen
heat pumps, heat pump
electric cars, electric car
workplace safety
quantum computing
edge computing
`), "\n")

// term is one name of a thing.
type term struct {
	text  string
	group int
	quiet bool // never looked for
}

// termGroup is a line of the table.
type termGroup struct {
	names     []term
	spellings bool
	telling   bool
}

var (
	groups    = make([]termGroup, 1, len(termGroups)+1)
	termIndex = make(map[string]int) // group by normalised name; 0: none
	maxTerm   = 1                    // the most words of a name
)

func init() {
	for _, line := range termGroups {
		var g termGroup
		names := strings.TrimLeft(line, "=! ")
		flags := line[:len(line)-len(names)]
		g.spellings, g.telling = strings.Contains(flags, "="), strings.Contains(flags, "!")
		for name := range strings.SplitSeq(names, ",") {
			name = strings.TrimSpace(name)
			bare := strings.Trim(name, "()")
			g.names = append(g.names, term{bare, len(groups), bare != name})
			norm := watchpost.Normalise(bare)
			termIndex[norm] = len(groups)
			maxTerm = max(maxTerm, strings.Count(norm, " ")+1)
		}
		groups = append(groups, g)
	}
}

// acronyms are the abbreviations of the table, normalised.
var acronyms = func() map[string]bool {
	set := wordSet(`usa uk eu us uae dach emea apac latam`)
	for _, line := range termGroups {
		for name := range strings.SplitSeq(strings.TrimLeft(line, "=! "), ",") {
			name = strings.Trim(strings.TrimSpace(name), "()")
			if isAcronym(name) {
				set[watchpost.Normalise(name)] = true
			}
		}
	}
	return set
}()
