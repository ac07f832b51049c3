package sentiment_test

import (
	"testing"

	"watchpost/internal/enrich/sentiment"
)

// BenchmarkOf classifies a post of the corpus's usual length.
func BenchmarkOf(b *testing.B) {
	for _, bench := range []struct{ name, code, text string }{
		{"ascii", "en", "Proud to share that our team shipped the new billing service last night, with no downtime. Thanks all! http"},
		{"latin", "de", "Wir freuen uns sehr, dass wir im nächsten Jahr mit einer größeren Mannschaft für euch da sein können. http"},
		{"arabic", "ar", "يسعدنا أن نعلن عن افتتاح مكتبنا الجديد في دبي وندعوكم جميعا لزيارتنا خلال الأسبوع القادم مع تحيات الفريق"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sentiment.Of(bench.text, bench.code)
			}
		})
	}
}
