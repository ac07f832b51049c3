package language_test

import (
	"testing"

	"watchpost/internal/enrich/language"
)

// BenchmarkDetect detects the language of a post of the corpus's usual length.
func BenchmarkDetect(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"ascii", "Proud to share that our team shipped the new billing service last night, with no downtime. Thanks all! http"},
		{"latin", "Wir freuen uns sehr, dass wir im nächsten Jahr mit einer größeren Mannschaft für euch da sein können. http"},
		{"arabic", "يسعدنا أن نعلن عن افتتاح مكتبنا الجديد في دبي وندعوكم جميعا لزيارتنا خلال الأسبوع القادم مع تحيات الفريق"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				language.Detect(bench.text)
			}
		})
	}
}
