package enrich_test

import (
	"testing"

	"watchpost/internal/enrich"
	"watchpost/internal/text"
	"watchpost/watchpost"
)

// BenchmarkPost enriches a post of the usual length.
func BenchmarkPost(b *testing.B) {
	for _, bench := range []struct{ name, content string }{
		{"ascii", `We are hiring a Senior Go engineer for our platform team in Berlin!

You will work on distributed systems with people who love what they do: no on-call heroics, no endless meetings.
We are proud of our open source work, and happy to sponsor talks at conferences. Interested? Apply at
https://example.com/jobs or send a message to @anna. #golang #hiring #remote`},
		{"latin", `Wir suchen für unser Team in Köln eine erfahrene Entwicklerin oder einen Entwickler (Go, Kubernetes).

Du arbeitest an verteilten Systemen, mit Leuten, die mögen, was sie tun: keine Überstunden, keine endlosen Besprechungen.
Wir freuen uns über jede Bewerbung und beantworten gerne alle Fragen. 😊 https://example.com/jobs #golang #jobs`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			rules := enrich.NewRules(enrich.Context{
				Labels: []watchpost.Label{
					{Name: "Hiring", Description: "Companies that look for engineers"},
					{Name: "Competitors", Description: "Acme, Globex, Initech"},
					{Name: "Other", Default: true},
				},
				Objective: "find companies that hire Go developers", Keyword: "golang", Entries: 3,
			})
			b.ReportAllocs()
			for b.Loop() {
				p := watchpost.Post{Content: bench.content, AuthorHeadline: "VP of Engineering at Acme | former CTO", Likes: 321, Comments: 12}
				rules.Post(&p, text.New(p.Content).WithImage(p.ImageText))
			}
		})
	}
}
