package interpret_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/interpret"
)

// refusals lists prompts by the reason of their refusal. Those under "" only
// resemble a refused prompt.
var refusals = map[string][]string{
	interpret.BareProfileLink: {
		"https://www.network.com/in/jane-doe",
		"http://network.com/in/jane-doe/",
		"www.network.com/in/jane-doe",
		"network.com/in/jane-doe?utm_source=share",
		"in/jane-doe",
		"/in/jane-doe",
		"  https://de.network.com/in/jane-doe-4b1a2  ",
		"<https://network.com/in/jane-doe>",
		"[Jane Doe](https://network.com/in/jane-doe)",
		"[Kubernetes security engineer in Berlin](https://network.com/in/jane-doe)",
		"\"https://network.com/in/jane-doe\"",
		"https://network.com/in/jane-doe.",
		"(https://network.com/in/jane-doe)",
		"urn:li:member:12345",
		"urn:li:fsd_profile:ACoAAB1234567890abcdefgh",
		"Please follow this profile for me: https://network.com/in/jane-doe",
		"Track everything that this person posts https://network.com/in/jane-doe",
		"https://network.com/in/jane-doe https://network.com/in/john-roe",
		"https://network.com/in/jane-doe, https://acme.com",
		"Track https://network.com/in/a and also https://network.com/in/b please",
		"show me the latest posts by https://network.com/in/jane-doe",
		"https://network.com/in/j%C3%BCrgen-m%C3%BCller",
		"What is she writing about? https://network.com/in/jane-doe",
	},
	interpret.BareURL: {
		"https://acme.com",
		"http://acme.com/",
		"acme.com",
		"www.acme.com",
		"acme.io/pricing",
		"https://acme.com/blog/2030/01/launch?x=y#top",
		"https://network.com/company/acme",
		"network.com/school/some-university",
		"https://network.com/posts/jane-doe_activity-7000000000000000000-abcd",
		"https://network.com/feed/update/urn:li:activity:7000000000000000000",
		"urn:li:company:1234",
		"Please track everything on https://acme.com/pricing for me",
		"Follow this page and tell me what is new: https://acme.com",
		"monitor this website https://acme.com",
		"https://acme.com https://globex.com",
		"look at https://acme.com please",
		"http://localhost:8080/x?y=z",
		"ftp://files.acme.com/list.txt",
		"[our site](https://acme.com)",
		"<https://acme.com>",
		"Can you check out this link for me https://acme.com/about ?",
	},
	interpret.Placeholder: {
		"Track posts about [topic] from [industry] leaders",
		"Posts about [TOPIC] in Germany by founders",
		"Posts about {company} pricing in Germany please",
		"Posts about {{product}} alternatives in Germany without ads",
		"Posts about ${keyword} in Germany by founders",
		"Posts about <%= topic %> in Germany by founders",
		"Show me <insert keyword> discussions in Berlin this week",
		"Posts about <your product> by customers in Spain",
		"Posts about [YOUR PRODUCT] by founders in Berlin",
		"Posts about [insert your competitor here] in France",
		"Posts about \"[competitor name]\" from unhappy customers in Spain",
		"Posts about [] in Germany by founders please",
		"Posts about [...] in Germany by founders please",
		"Posts about [___] in Germany by founders please",
		"Posts about {company_name} and its pricing in Germany",
		"Find [job title] hiring in [city] but not recruiters",
		"[company]",
		"[topic] news",
		"Find posts about (your company) in Germany or Austria",
		"Find posts about (insert topic) in Germany or Austria",
		"Posts by people in [[location]] about solar panels",
		"Posts about %(topic)s in Germany written by founders",
		"Kubernetes posts by people at [X] or [Y] in Europe",
		"Posts about [some framework of ours] in production",
		"Posts about [INDUSTRY TRENDS] by chief executives",
	},
	interpret.TooShort: {
		"",
		" \n\t ",
		"kubernetes",
		"kubernetes jobs",
		"AI",
		"Posts about AI in Germany",
		"Posts about Kubernetes security vulnerabilities",
		"data engineering jobs",
		"a b c d e f g",
		"I am on it so go",
		"\"open source licensing and compliance\"",
		"#buildinpublic #saas #startups",
		"asdf",
		"asdfghjkl qwertyuiop zxcvbnm asdfgh",
		"like my posts please",
		"!!! ??? ... --- !!! ??? ... --- !!! ??? ...",
		"hiring hiring hiring",
		"Founders in Germany, Austria, Switzerland",
		"Postsabouteverythingthatmattersinthewholewideworld",
		"posts about k8s in the EU now",
		"求人",
		"🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀",
	},
	interpret.Gibberish: {
		"asdf qwer zxcv hjkl uiop asdf jkl sdf",
		"asdfghjkl asdfghjkl asdfghjkl asdfghjkl asdf asdf",
		"fjdksla fjdksl fjdks ajfkd sjfkd sjfkds",
		"wef oiu sdlkj wqoiu pzx mnbv qwpeoi",
		"xkcd vlkj qpwo eirut ytmn bvcx zlkd",
		"sdfsdf sdfsdf sdfsdf fsdfsd fsdf sdfsdf",
		"qwerty qwerty uiop uiop asdf ghjk",
		"test test test test test test test test",
		"blah blah blah blah blah blah blah blah",
		"AI AI AI AI AI AI AI AI AI AI AI",
		"aaaa bbbb cccc dddd eeee ffff gggg",
		"aaaaaaaa aaaaaaa aaaaaaaaa aaaaaaa aaaaaa aaaaaaaa",
		"12345 67890 12345 67890 12345 67890",
		"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
		"lorem ipsum dolor sit amet consectetur adipiscing elit",
		"jkl; fdsa jkl; fdsa jkl; fdsa jkl; fdsa",
		"hjkhjk ghjghj tyutyu vbnvbn fghfgh rtyrty",
		"zxcvb nmlkj hgfds apoiu ytrew qzxcv",
		"kjhg kjhg lkjh mnbv poiu lkjhg kjhgf",
		"please find sdkfjh skdjfh skjdfh ksjdhf sjkdhf",
		"gfhdj skala gfhjdk bnmvc xzsaq wqtre ghjtk",
		"x1x2x3x4 y9y8y7y6 qwe123rty a1s2d3f4 z0x9c8v7 q1w2e3r4",
	},
	interpret.OwnEngagement: {
		"Like my latest post and comment on it so that it goes viral",
		"Help me get more likes and comments on my posts please",
		"I want more followers and engagement on my company page",
		"Please boost our new article about Kubernetes security in Germany",
		"get people to share our posts about our product launch",
		"make my post about AI go viral on the network please",
		"Who liked my posts about Kubernetes this week in Germany",
		"Can you comment on all of my posts this week?",
		"I need more engagement on my posts about marketing",
		"Increase the reach of our company page this month please",
		"Get me 500 likes on my last article by tomorrow",
		"Find people who will like and repost my announcement about funding",
		"Help us get more followers for our startup page fast",
		"I would like my posts to get more views and comments",
		"Our last video deserves more likes and comments, please help",
		"Boost the visibility of my content in Germany and Austria",
		"people commenting on my posts about leadership and hiring",
		"Have everyone on the team react to my new carousel",
		"Please upvote and share this post of mine about AI",
		"how can I get more comments on what I post here?",
		"get more followers for me on the network every week",
		"Please get our content seen by more people in Germany",
		"Auto-like our posts as soon as they are published please",
	},
	interpret.NoSubject: {
		"Show me all posts by founders in Germany please",
		"interesting posts about stuff from people in my network",
		"Find me good leads that want to buy from us",
		"Show me something interesting from people in my industry",
		"I want to find new customers for my business in Germany",
		"Posts from founders and CEOs in the United States or Canada",
		"Show me all the trending news this week from everyone",
		"Posts about our product and our competitors in Germany",
		"Posts mentioning our competitors in the fintech space please",
		"Please find the most relevant posts for me every day",
		"I would like to see what people are talking about",
		"Find the best content on the network from this week",
		"Keep me updated on everything that is happening right now",
		"posts in German by people who live in Austria",
		"Find posts that are not about politics or sports",
		"Only posts in English from the last seven days please",
		"Give me the latest updates from the people I follow",
		"Find prospects in Berlin, Hamburg and Munich for our sales team",
		"Posts by senior executives and directors in the Netherlands only",
		"Everything about my company and what customers say about us",
		"People in my area who are looking for something new",
		"Track what our competitors are saying about their products",
	},
	"": {
		// links that are not bare
		"What people say about https://acme.com pricing and support in Germany",
		"Posts that link to https://example.com/blog/launch by engineers",
		"Posts by Jane Doe https://network.com/in/jane-doe about AI safety and policy",
		"People mentioning acme.com outages or downtime in Europe",
		"Posts about Monday.com and Booking.com integrations for hotels",
		"Posts about Node.js, Next.js and ASP.NET performance tuning",
		// brackets that are not placeholders
		"Posts with [Hiring] in the title about Rust jobs in Berlin",
		"Posts about TypeScript generics like Map[K, V] in large code bases",
		"Posts about Kubernetes [1] and service meshes [2] in production",
		"Posts about the vector<int> class and modern C++ performance",
		"Posts about React (the JavaScript library) performance in Germany",
		"Posts with the tag \"[for hire]\" by Rust developers in Berlin",
		"Posts about inflation <3% and interest rates in Canada",
		"Posts about Kubernetes (and its security) in Germany or Austria",
		// six words, thirty characters
		"Posts on k8s cost in Berlin now",
		"Posts about AI agents in Germany",
		// unusual, but real words
		"Posts about kubectl, nginx, grpc, mysql and pytest tricks",
		"Rzeszów Wrocław Szczecin developers hiring for Kubernetes in Poland",
		"Posts about Schwäbisch Hall, Kirchheim and Pfaffenhofen housing prices",
		"Posts about GDPR, HIPAA, SOC2, ISO27001 and PCI DSS audits",
		"Kubernetes Terraform Ansible Pulumi Helm ArgoCD",
		"BGP DNS TCP TLS SSH HTTP troubleshooting by network engineers",
		"Posts about asdf, the version manager, and direnv setups",
		"Posts about QWERTY and Dvorak keyboards by software developers",
		// engagement, but not on own posts
		"Find founders asking how to get more likes on their posts",
		"Posts about people commenting on my favourite band Radiohead lately",
		"Posts about how to increase engagement on social media posts",
		"People complaining about low reach on their posts in the feed",
		"Topics about Kubernetes that I could share on our page",
		"Find posts about marketing that I can comment on to grow my network",
		"people who engage with our competitors' posts about payroll software",
		"Posts about \"like my post\" scams and engagement pods",
		"Posts by marketers about getting more followers for a company page",
		// short, but with a subject
		"Find people who are hiring in Berlin right now",
		"People looking for a job in Munich or Vienna",
		"Posts about customer feedback by product managers in Spain",
		"Show me senior data engineers in Germany please",
		"Our competitors are Asana and Trello, track posts about Asana",
		// other languages are left to the interpreter
		"Finde Beiträge über Kubernetes und Docker in Deutschland ohne Stellenanzeigen",
	},
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for reason, prompts := range refusals {
		if reason != "" {
			require.GreaterOrEqual(t, len(prompts), 20, reason)
		}
		for _, p := range prompts {
			r, err := interpret.Rules{}.Interpret(t.Context(), interpret.Prompt{Text: p})
			var refused *interpret.Refused
			switch {
			case reason == "":
				if err != nil {
					t.Errorf("%q is refused: %v", p, err)
				}
			case !errors.As(err, &refused):
				t.Errorf("%q is not refused as %s: %s", p, reason, written(r.Keywords))
			case refused.Reason != reason:
				t.Errorf("%q is refused as %s, not %s", p, refused.Reason, reason)
			default:
				holdRefused(t, refused)
			}
		}
	}
}
