package draft_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/interpret/draft"
	"watchpost/internal/langcode"
	"watchpost/watchpost"
)

// TestMisfit: both directions in each language, and words that only look like a loss.
func TestMisfit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		language, sentiment, post, text string
		want                            bool
	}{
		"en layoff":       {"en", "negative", "Today we said goodbye to 40 colleagues in Rotterdam.", "Congratulations to the team!", true},
		"en neutral":      {"en", "neutral", "ACME announces layoffs in three countries", "Congrats 🎉", true},
		"en sorry":        {"en", "negative", "I was laid off this morning.", "Sorry to read this. Happy to make introductions.", false},
		"en found work":   {"en", "positive", "Laid off in May, and today I start as a head of data. So happy!", "Congratulations!", false},
		"en no layoffs":   {"en", "positive", "No layoffs here, we love our people and hire 40 more", "Well done", false},
		"en death":        {"en", "positive", "Our beloved founder passed away. A wonderful, joyful person.", "Congratulations", true},
		"en illness":      {"en", "negative", "I was diagnosed with MS last year.", "Great news, so proud of you", true},
		"en redundant":    {"en", "neutral", "Redundant power supplies doubled our uptime", "Congratulations", false},
		"en shut down":    {"en", "neutral", "We shut down the last old server today", "Well done!", false},
		"en fired up":     {"en", "neutral", "The team is fired up for the launch", "Congrats", false},
		"en closing":      {"en", "neutral", "Closing a round of 5 million", "Congratulations on closing it", false},
		"en promotion":    {"en", "positive", "I have been promoted to director", "Congratulations, well deserved", false},
		"en case":         {"en", "neutral", "LAID\u00a0OFF, again", "CONGRATULATIONS", true},
		"english in de":   {"de", "neutral", "Schon wieder Layoffs bei ACME", "Congrats!", true},
		"de loss":         {"de", "negative", "Wir müssen 200 Beschäftigte entlassen.", "Herzlichen Glückwunsch!", true},
		"de insolvency":   {"de", "neutral", "Die Nordlicht GmbH meldet Insolvenz an", "Gratulation zum Schritt", true},
		"de fits":         {"de", "neutral", "Die Nordlicht GmbH meldet Insolvenz an", "Das tut mir leid für alle Beteiligten.", false},
		"de good":         {"de", "positive", "Wir haben den Preis gewonnen", "Glückwunsch!", false},
		"de death":        {"de", "neutral", "Wir trauern um Anna, verstorben am 3. Mai", "Glückwunsch", true},
		"de locked":       {"de", "neutral", "Wir schließen eine Lücke in der Ausbildung", "Gratuliere", false},
		"fr loss":         {"fr", "negative", "J'ai été licencié hier", "Félicitations !", true},
		"fr licence":      {"fr", "neutral", "J'ai obtenu ma licence de droit", "Félicitations !", false},
		"es loss":         {"es", "neutral", "Anuncian 300 despidos en la planta", "¡Felicidades!", true},
		"es graduate":     {"es", "neutral", "Ya soy licenciada en Derecho", "¡Enhorabuena!", false},
		"pt loss":         {"pt", "negative", "Fui demitido hoje", "Parabéns", true},
		"pt good":         {"pt", "positive", "Fui promovida", "Parabéns", false},
		"it loss":         {"it", "negative", "L'azienda ha annunciato 90 licenziamenti", "Complimenti!", true},
		"it licence":      {"it", "neutral", "Abbiamo ottenuto la licenza", "Congratulazioni", false},
		"ar loss":         {"ar", "neutral", "أعلنت الشركة عن تسريح 100 موظف", "ألف مبروك", true},
		"ar good":         {"ar", "positive", "حصلت على ترقية", "ألف مبروك", false},
		"hi death":        {"hi", "neutral", "मेरे पिताजी का निधन हो गया", "बहुत बहुत बधाई", true},
		"hi good":         {"hi", "neutral", "मुझे नई नौकरी मिली", "बधाई हो", false},
		"ja loss":         {"ja", "neutral", "本日付で解雇されました", "おめでとうございます", true},
		"ja effort":       {"ja", "neutral", "これからもがんばります", "おめでとうございます", false},
		"unknown":         {langcode.Undetermined, "neutral", "Insolvenz", "Congrats", true},
		"other language":  {"pl", "neutral", "Firma ogłasza layoffs", "Congratulations", true},
		"no text":         {"en", "negative", "laid off", "", false},
		"no post":         {"en", "neutral", "", "Congratulations", false},
		"words in a word": {"en", "neutral", "She played off-broadway, playlaid officer", "Congratulations", false},
	} {
		p := &watchpost.Post{Content: c.post, Language: c.language, Sentiment: c.sentiment}
		require.Equal(t, c.want, draft.Misfit(c.text, p), name)
	}
}
