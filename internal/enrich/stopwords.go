package enrich

import (
	"strings"

	"watchpost/internal/text"
)

// stopWords holds the normalised words that do not identify a label or
// objective: function words of the usual languages of labels, and words about
// posts and labels themselves.
var stopWords = func() map[string]bool {
	stop := make(map[string]bool)
	for w := range strings.FieldsSeq(aboutPosts) {
		stop[text.Normalize(w)] = true
	}
	for _, list := range functionWords {
		for w := range strings.FieldsSeq(list) {
			stop[text.Normalize(w)] = true
		}
	}
	return stop
}()

const aboutPosts = `post posts posting article articles content mention mentions mentioning mentioned about regarding
	related relating concerning discussing discussion discussions talk talks talking anything something everything
	others miscellaneous misc general uncategorized uncategorised unclassified label people person someone anyone
	beitrag beitrage beitraege uber sonstiges sonstige andere allgemein autre autres general publication publications
	otro otros otras outro outros outras altro altri altre varie publicaciones publicacao publicacoes`

// functionWords holds articles, pronouns, prepositions, conjunctions,
// auxiliaries and the like, which carry no subject, by language.
var functionWords = map[string]string{
	"en": `the a an and or but if of to in on at by for from with without into onto over under about after before between through
		during until while because since than then that this these those there here where when why how what which who whom whose
		i you he she it we they me him her us them my your his its our their mine yours ours theirs myself yourself himself itself
		is am are was were be been being do does did doing done have has had having will would shall should can could may might must
		not no nor don't doesn't didn't isn't aren't wasn't weren't won't can't couldn't shouldn't wouldn't haven't hasn't ain't
		i'm i've i'll i'd you're you've you'll he's she's it's we're we've we'll they're they've that's there's what's let's
		as so too very just only also even still yet again ever never always more most much many some any all both each every few other
		another such own same up down out off now let get got im dont cant u ur lol`,
	"de": `der die das den dem des ein eine einen einem einer eines und oder aber wenn weil dass daß ob als wie wo was wer wann warum
		ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihn ihnen mein meine meinen meiner dein deine sein seine ihre unser unsere
		ist bin bist sind seid war waren wird werden wurde wurden worden habe hab hast hat haben hatte hatten kann können könnte muss müssen soll will
		wollen würde darf sollte nicht kein keine keinen nichts in im an am auf aus bei beim mit nach von vom vor zu zum zur für über unter
		um durch gegen ohne bis seit zwischen hinter auch noch schon nur sehr so dann denn doch mal ja nein da hier dort jetzt immer nie
		wieder mehr viel alle alles man dieser diese dieses diesen jeder jede etwas ganz gar eben also halt etwa`,
	"fr": `le la les l un une des du de d et ou mais donc or ni car si que qui quoi dont où quand comme comment pourquoi
		je j tu il elle on nous vous ils elles me te se m t s moi toi lui leur eux mon ma mes ton ta tes son sa ses notre nos votre vos leurs
		est suis es sommes êtes sont était étais étaient être été sera ai as a avons avez ont avait avoir eu fait faire fais peut peux veux faut
		va vais vont ne n pas plus rien jamais personne aucun dans en sur sous par pour avec sans chez vers entre depuis avant après contre pendant
		au aux à y ce c cet cette ces ça cela ceci qu même aussi très trop bien tout tous toute toutes encore déjà ici là alors
		c'est j'ai n'est qu'il qu'on d'un d'une s'est quel quelle puis parce`,
	"es": `el la los las un una unos unas y o u pero si que quien quién cual cuál cuando cuándo como cómo donde dónde porque por qué
		yo tú él ella usted nosotros ustedes ellos ellas me te se nos os lo le les mi mis tu tus su sus mí ti nuestro nuestra nuestros
		es soy eres somos son era eran fue ser sido está estoy estás están estar estaba he has ha hemos han había haber hay tengo tiene tienes tienen
		hace hacer voy vas va vamos van puede puedo pueden no ni nada nunca nadie ningún de del al a en con sin sobre para hasta desde entre hacia
		este esta esto estos estas ese esa eso esos esas aquel muy más menos tan tanto también ya aún todo todos toda todas otro otra
		así aquí allí ahora entonces sólo solo pues cada algo alguien q pa`,
	"pt": `o a os as um uma uns umas e ou mas se que quem qual quando como onde porque por quê eu tu ele ela você vc vcs vocês nós eles elas
		me te lhe nos meu minha meus minhas teu tua seu sua seus suas nosso nossa dele dela deles isso isto aquilo este esta esse essa
		é és sou são foi era eram ser sido está estou estão tá tô tava estar estava há tem têm tenho tinha ter tendo vai vou vão vamos ir pode posso
		não nao nem nada nunca ninguém nenhum de do da dos das no na nos nas ao à aos às em com sem sobre para pra pro até desde entre pelo pela
		num numa muito muita mais menos tão também já ainda só todo todos toda todas tudo outro outra assim aqui ali agora então pois cada algo
		q pq mesmo quer sei`,
	"it": `il lo la i gli le l un uno una e ed o ma se che chi cui quale quando come dove perché perchè perche io tu lui lei noi voi loro
		mi ti si ci vi ne me te mio mia miei tuo tua suo sua suoi nostro nostra vostro è sono sei siamo siete era erano essere stato stata sarà
		ho hai ha abbiamo hanno aveva avere fa fare fatto va può puoi posso possono vuole non né niente nulla mai nessuno di del dello della dei degli
		delle al allo alla ai agli alle da dal dalla dai in nel nella nei nelle con senza su sul sulla sui per tra fra fino
		questo questa questi queste quello quella quelli molto più meno tanto anche già ancora solo tutto tutti tutta tutte altro altri
		così qui qua ora adesso allora poi ogni qualcosa c'è cosa l'ha dell nell all dall sull un'altra`,
}
