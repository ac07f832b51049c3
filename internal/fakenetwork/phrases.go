package fakenetwork

// speech is the grammar of posts in one language. In every phrase {t} is a
// topic, {c} a company, {n} a number, {p} a town.
type speech struct {
	code   string
	weight int // percentage of posts
	open   []string
	body   []string
	close  []string
}

var speeches = []speech{
	{code: "en", weight: 54,
		open: []string{
			"We shipped our first {t} project with {c} this week.", "Three lessons from {n} months of {t}:",
			"Honest question about {t}.", "I am thrilled to join {c} to work on {t}!", "Hiring: my team at {c} is growing in {p}.",
			"Unpopular opinion: most {t} programmes fail for boring reasons.", "Back from a great {t} meetup in {p}.",
			"A short thread on what {t} really costs.", "Disappointed by yet another {t} launch that ignored its users.",
		},
		body: []string{
			"We cut the time to answer by {n}% and nobody had to work a weekend.", "The hard part was not the tools, it was agreeing on what good looks like.",
			"Start small, measure, and write down what you learn.", "Our customers told us the same thing {n} times before we listened.",
			"The budget was gone after {n} weeks and we still had no plan for operations.", "If you lead a team, ask them what slows them down and then fix one thing.",
			"Thanks to everyone at {c} who made this possible.", "The numbers look good, but I am worried about the next two quarters.",
		},
		close: []string{"What is your experience?", "Curious to hear how others do it.", "Link in the comments.", "Proud of this team.", "Apply by Friday.", ""}},
	{code: "de", weight: 9,
		open:  []string{"Nach {n} Monaten {t} ziehen wir Bilanz.", "Wir suchen Verstärkung für {t} bei {c}.", "Ein Thema, das mich nicht loslässt: {t}.", "Großartiger Abend über {t} in {p}."},
		body:  []string{"Am schwierigsten waren nicht die Werkzeuge, sondern die Absprachen.", "Wir haben die Durchlaufzeit um {n} % gesenkt.", "Leider fehlt in vielen Unternehmen noch der Mut, klein anzufangen.", "Vielen Dank an das ganze Team von {c}!"},
		close: []string{"Wie macht ihr das?", "Ich freue mich auf eure Meinungen.", ""}},
	{code: "fr", weight: 8,
		open:  []string{"Après {n} mois de {t}, voici ce que nous avons appris.", "Nous recrutons chez {c} à {p} !", "Une question sur {t} pour mon réseau.", "Très belle conférence sur {t} hier soir."},
		body:  []string{"Le plus difficile n'était pas la technique, mais l'organisation.", "Nous avons réduit les délais de {n} %.", "Merci à toute l'équipe de {c} pour son énergie.", "Malheureusement, trop de projets s'arrêtent avant d'être utiles."},
		close: []string{"Et chez vous ?", "Au plaisir d'échanger.", ""}},
	{code: "es", weight: 9,
		open:  []string{"Después de {n} meses trabajando en {t}, comparto tres ideas.", "¡Estamos contratando en {c}!", "Hoy quiero hablar de {t}.", "Gran encuentro sobre {t} en {p}."},
		body:  []string{"Lo más difícil no fue la tecnología, sino ponernos de acuerdo.", "Redujimos los tiempos un {n} %.", "Gracias a todo el equipo de {c} por hacerlo posible.", "Me preocupa que tantas empresas empiecen por la herramienta."},
		close: []string{"¿Qué opináis?", "Os leo en los comentarios.", ""}},
	{code: "it", weight: 5,
		open:  []string{"Dopo {n} mesi di {t} è il momento di fare un bilancio.", "Stiamo cercando nuovi colleghi in {c}.", "Bellissimo incontro su {t} a {p}."},
		body:  []string{"La parte più difficile è stata cambiare le abitudini.", "Abbiamo ridotto i tempi del {n}%.", "Grazie a tutto il gruppo di {c}!"},
		close: []string{"Voi come fate?", ""}},
	{code: "pt", weight: 5,
		open:  []string{"Depois de {n} meses com {t}, o que aprendemos?", "A {c} está contratando em {p}!", "Precisamos falar sobre {t}."},
		body:  []string{"O mais difícil não foi a tecnologia, foi a comunicação.", "Reduzimos os prazos em {n}%.", "Obrigado a todo o time da {c}."},
		close: []string{"Qual é a sua experiência?", ""}},
	{code: "nl", weight: 4,
		open:  []string{"Na {n} maanden {t} maken we de balans op.", "Wij zoeken collega's bij {c} in {p}.", "Mooie bijeenkomst over {t} gisteren."},
		body:  []string{"Het moeilijkste was niet de techniek, maar de samenwerking.", "De doorlooptijd is met {n}% gedaald.", "Dank aan iedereen bij {c}!"},
		close: []string{"Hoe pakken jullie dit aan?", ""}},
	{code: "sv", weight: 2,
		open:  []string{"Efter {n} månader med {t} är det dags att summera.", "Vi söker nya kollegor till {c}."},
		body:  []string{"Det svåraste var inte tekniken utan samarbetet.", "Tack till alla på {c} som gjorde detta möjligt."},
		close: []string{"Hur gör ni?", ""}},
	{code: "ar", weight: 2,
		open:  []string{"بعد {n} أشهر من العمل على {t} نشارك ما تعلمناه.", "فريقنا في {c} ينمو ونبحث عن زملاء جدد."},
		body:  []string{"أصعب ما في الأمر لم يكن التقنية بل التنظيم.", "شكرا لكل من ساهم في هذا النجاح."},
		close: []string{"ما رأيكم؟", ""}},
	{code: "ja", weight: 2,
		open:  []string{"{t}に取り組んで{n}か月が経ちました。", "{c}では一緒に働く仲間を募集しています。"},
		body:  []string{"一番難しかったのは技術ではなく、合意を作ることでした。", "チームの皆さんに感謝します。"},
		close: []string{"皆さんはどうしていますか?", ""}},
}

// forumOpen and forumBody are the questions and answers of the forum.
var (
	forumOpen = []string{
		"How do you evaluate vendors for {t}?", "Looking for advice on {t} in a small company.", "Is {t} worth it below {n} people?",
		"What went wrong in our {t} rollout", "Recommendations for a {t} course?", "Alternatives to {c} for {t}?",
	}
	forumBody = []string{
		"We are {n} people and have about {n} weeks to decide.", "I have read the usual guides, but they are all about large companies.",
		"Our current set-up breaks every other week and nobody owns it.", "Budget is not the problem, time is.", "Happy to share what we find.",
	}
)

// remarks are the comments of the world's members.
var remarks = []string{
	"Congratulations!", "Very true, thank you for sharing.", "We made the same experience.", "I am not sure that I agree.",
	"How long did it take you?", "Great summary.", "Interesting, let us talk.", "Bravo !", "Gracias por compartir.", "Spannend, danke!",
}
