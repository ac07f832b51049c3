package enrich_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSentiment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, text string }{
		{"positive", "I'm thrilled to join this wonderful team"},
		{"positive", "Congratulations to all of you!"},
		{"positive", "This is not bad at all"},
		{"positive", "No problem at all: we love it, and it is great"},
		{"negative", "The support of this company is terrible"},
		{"negative", "I am not happy with the update"},
		{"negative", "I don’t really like... sorry, this is not very helpful"},
		{"negative", "Unfortunately the release failed again"},
		{"neutral", "The meeting is on Tuesday at ten"},
		{"neutral", "We are looking for a backend developer in Porto"},
		{"neutral", ""},

		{"positive", "Wir freuen uns sehr und sind stolz auf das Team"},
		{"negative", "Das ist leider gar nicht gut gelaufen"},
		{"neutral", "Der Zug fährt um neun"},
		{"positive", "Je suis très heureuse, merci à toute l'équipe"},
		{"negative", "C'est une honte, je suis vraiment déçu"},
		{"positive", "¡Qué alegría, enhorabuena a todo el equipo!"},
		{"negative", "Qué vergüenza, el servicio es pésimo y muy malo"},
		{"positive", "Parabéns a todos, estou muito feliz com isso"},
		{"negative", "Estou muito triste, o serviço é péssimo"},
		{"positive", "Complimenti a tutti, un lavoro eccellente"},
		{"negative", "Che vergogna, sono molto deluso da questo servizio"},

		// Hindi is not trained: only signs count.
		{"neutral", "yeh bahut bura hai bhai, mujhe nahi chahiye"},
		{"neutral", "यह बहुत अच्छा है"},
		{"positive", "yeh bahut accha hai bhai 😊"},
		{"positive", "Vi ses på mässan imorgon 😊"},
		{"positive", "明日会いましょう 🎉"},
		{"negative", "😡😡😡"},
		{"positive", "see you :)"},
		{"positive", "see you tomorrow:-))"},
		{"negative", "the train :-("},
		{"negative", "❤ 😡😡 😭😭"},
		{"neutral", "at 12:30, result 2:3, see http://example.com:8080/ (note:)s"},
		{"neutral", "New blog post: how to index JSON in Postgres"},
	} {
		assert.Equal(t, c.want, understood(c.text).Sentiment, c.text)
	}
}
