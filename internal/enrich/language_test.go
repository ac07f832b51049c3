package enrich_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"watchpost/internal/langcode"
	"watchpost/watchpost"
)

func TestLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, text string }{
		{"en", "We are hiring a backend engineer in Dublin"},
		{"en", "So proud of what the team has shipped this week!"},
		{"de", "Wir suchen zum nächsten Monat Verstärkung für unser Team"},
		{"de", "Das ist doch nicht euer Ernst"},
		{"fr", "Je suis très heureux de rejoindre l'équipe de Lyon"},
		{"fr", "On recrute à Paris, n’hésitez pas à partager"},
		{"es", "Estamos buscando gente con ganas de aprender"},
		{"pt", "Estou muito feliz em começar esta nova etapa"},
		{"it", "Siamo lieti di annunciare la nostra nuova sede di Torino"},
		{"nl", "Wij zijn op zoek naar iemand die van data houdt"},
		{"sv", "Vi är mycket glada över att få berätta om vårt nya kontor"},
		{"da", "Vi er meget glade for at kunne fortælle om vores nye kontor"},
		{"no", "Vi er veldig glade for å kunne fortelle om det nye kontoret vårt"},
		{"fi", "Olemme todella iloisia uudesta toimistosta ja kaikista asiakkaista"},
		{"pl", "Bardzo się cieszymy, że możemy pokazać nasze nowe biuro"},
		{"cs", "Jsme velmi rádi, že můžeme ukázat naši novou kancelář"},
		{"ro", "Suntem foarte bucuroși să vă arătăm noul nostru birou"},
		{"hu", "Nagyon örülünk, hogy megmutathatjuk az új irodánkat"},
		{"tr", "Yeni ofisimizi göstermekten çok mutluyuz, herkese teşekkürler"},
		{"tr", "İSTANBUL'DA YENİ BİR İŞE BAŞLADIM VE ÇOK MUTLUYUM"},
		{"id", "Kami sangat senang bisa menunjukkan kantor baru kami kepada kalian"},
		{"vi", "Chúng tôi rất vui được giới thiệu văn phòng mới"},
		{"ru", "Мы очень рады показать наш новый офис"},
		{"uk", "Ми дуже раді показати наш новий офіс"},
		{"bg", "Много се радваме да покажем новия ни офис"},
		{"el", "Χαιρόμαστε πολύ για το νέο μας γραφείο"},
		{"ar", "يسعدنا أن نعلن عن افتتاح مكتبنا الجديد"},
		{"fa", "ما خیلی خوشحالیم که دفتر جدید را افتتاح می‌کنیم"},
		{"he", "אנחנו שמחים להציג את המשרד החדש שלנו"},
		{"hi", "हमें अपना नया कार्यालय दिखाते हुए खुशी हो रही है"},
		{"th", "เราดีใจมากที่ได้เปิดสำนักงานใหม่"},
		{"zh", "我们很高兴地宣布新办公室开业"},
		{"zh", "谢谢"},
		{"ja", "新しいオフィスを開設しました"},
		{"ko", "새 사무실을 열게 되어 기쁩니다"},

		// Mentions, links and the like do not count.
		{"de", "https://example.com/the/best/of/all @the_best_of_them Das gefällt mir nicht #thebest"},
		{"en", "info@firma-und-sohn.de is where you can write to"},
		{"ru", "Наш новый продукт Watchpost уже можно попробовать"},
		{"en", "We love the word привет and use it all the time in our office"},
		{"fr", "#bonjour #merci #équipe"}, // only hashtags
		{"de", "Scho\u0308ne Gru\u0308ße aus Mu\u0308nchen"},

		{langcode.Undetermined, ""},
		{langcode.Undetermined, "👍👍👍 2024 !!!"},
		{langcode.Undetermined, "ok"},
		{langcode.Undetermined, "https://example.com/a @anna"},
		{langcode.Undetermined, "Docker Kubernetes Terraform"},
		{langcode.Undetermined, "gjk fhdk sldkfj wpoei"},
		{langcode.Undetermined, "\xff\xfe\xfd"},
	} {
		assert.Equal(t, c.want, understood(c.text).Language, c.text)
	}
}

func TestLanguageOfImageText(t *testing.T) {
	t.Parallel()
	p := understoodPost(watchpost.Post{Content: "👇 https://example.com", ImageText: "Wir freuen uns auf euch!"})
	require.Equal(t, "de", p.Language)
	require.Equal(t, "positive", p.Sentiment)
}
