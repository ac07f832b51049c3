package enrich_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestSeniority(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, headline string }{
		{"C-Level", "CEO at Acme"},
		{"C-Level", "Founder & CEO"},
		{"C-Level", "Chief Technology Officer, Acme"},
		{"C-Level", "Chief Information Security Officer"},
		{"C-Level", "President, Acme Europe"},
		{"C-Level", "Geschäftsführerin bei der Muster GmbH"},
		{"C-Level", "Engineer | Mother | C.E.O."},
		{"C-Level", "Acme首席执行官"},
		{"Founder", "Co-Founder @ Acme"},
		{"Founder", "Small business owner"},
		{"Founder", "Partner at Someone & Partners"},
		{"Founder", "Senior Partner"},
		{"VP", "Vice President of Sales"},
		{"VP", "SVP Marketing | ex-Google"},
		{"VP", "VP, Engineering"},
		{"VP", "副总裁"},
		{"Director", "Director of Engineering"},
		{"Director", "Head of People"},
		{"Director", "Chief of Staff to the CEO"},
		{"Director", "Directrice marketing chez Acme"},
		{"Manager", "Product Manager - Payments"},
		{"Manager", "Team Lead Backend"},
		{"Manager", "Help Desk Manager"},
		{"Senior", "Senior Software Engineer at Acme"},
		{"Senior", "Sr. Data Scientist"},
		{"Senior", "Principal Engineer"},
		{"Entry", "Marketing Intern"},
		{"Entry", "Student at the University of Ghent"},
		{"Entry", "Werkstudentin bei Acme"},

		{"Entry", "Assistant to the CEO"},
		{"Entry", "Executive Assistant to the VP of Sales"},
		{"Entry", "CEO's Assistant"},
		{"", "Former CEO"},
		{"", "Ex-CTO of Acme"},
		{"Director", "Former CEO, now Director at Globex"},
		{"Director", "former CEO now director"},
		{"Manager", "Ex-Director | Project Manager"},
		{"", "I help every CEO sleep at night"},
		{"", "Helping founder and owner alike"},
		{"", "Engineer at Director Labs"},
		{"", "Product Owner"},
		{"", "Lead generation for you"},
		{"", "Aspiring director"},
		{"", "Software Engineer"},
		{"", "Directors Guild, managerial studies, Ceos island"},
		{"", ""},
		{"", "🚀"},
	} {
		require.Equal(t, c.want, understoodPost(watchpost.Post{AuthorHeadline: c.headline}).Seniority, c.headline)
	}
}
