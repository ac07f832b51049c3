package enrich

// opinions holds, by language, words that praise and words that complain. A
// word that ends in * stands for all that begin with it.
var opinions = map[string]struct{ positive, negative string }{
	"en": {
		`good great best better love loved loves loving lovely happy amazing awesome excellent fantastic wonderful brilliant beautiful
		nice enjoy* excited exciting thrilled proud glad grateful thank thanks congrat* honored honoured inspiring inspired perfect
		win wins winning won success* impressive impressed helpful fun delight* pleased pleasure recommend* superb outstanding
		incredible yay cool cute blessed hope hopeful promising favorite favourite yes well welcome celebrat* smile laugh* sweet`,
		`bad worse worst hate hated hates awful terrible horrible poor sad sadly angry annoy* disappoint* disgust* fail fails failed failing
		failure wrong broken useless boring stupid dumb idiot* ugly pathetic ridiculous waste* worried worry worrying problem problems issue*
		bug bugs scam fraud lie lies liar lost lose losing loser pain painful sick tired scared fear die dies died dead death kill* killed murder*
		shit fuck* damn hell sucks crap layoff* unfortunately sorry regret* frustrat* unacceptable overpriced slow crash* ruin* shame cry crying mad racist`,
	},
	"de": {
		`gut gute guten guter gutes super toll tolle tollen toller tolles schön schöne schönen schöner schönes liebe lieben liebt geliebt
		freue freuen freut freude glücklich klasse großartig* wunderbar* wunderschön* perfekt* beste besten bester besser genial* danke
		dankbar stolz begeister* herzlichen glückwunsch gratul* gewinn* gewonnen erfolg* spaß spass lustig geil geile lecker süß süße hübsch
		cool empfehl* hervorragend* fantastisch* spannend* nett angenehm hoffnung lob zufrieden yeah juhu hihi`,
		`schlecht schlechte schlechten schlechter schlechtes schlimm schlimme schlimmer hasse hass hassen scheiß* scheiss* kacke mist blöd*
		dumm dumme doof leider traurig* wütend ärger* nerv* enttäusch* furchtbar* schrecklich* grauenhaft* peinlich* falsch kaputt
		problem* fehler verlust verlor* verloren verlier* angst sorge* krank schmerz* müde tot tote toten tod stirbt gestorben mord* krieg*
		idiot* lächerlich unverschämt frech langweilig* betrug lüge* lügen versag* katastroph* ekel* weint heul* arsch*
		fuck fick* verdammt schade allein gefährlich* kündig* teuer`,
	},
	"fr": {
		`bon bonne bons bonnes super génial* excellent* magnifique* merveill* beau belle beaux belles aime aimer adore* j'adore heureux
		heureuse content* contente ravi ravie fier fière fiers merci bravo félicit* parfait* meilleur* mieux réussi* succès gagn* victoire
		plaisir joie formidable* fantastique* incroyable sympa drôle mignon* cool utile inspirant* passionnant* recommand* chance
		espoir encourag* innovant* bonheur amour`,
		`mauvais* mal pire nul nulle nuls déteste haine triste* tristesse colère énerv* décev* déçu déçue horrible* affreux terrible*
		catastroph* honte honteux échec échou* faux cassé problème* erreur* perdu perdre perd peur inquiet inquiét* malade douleur
		fatigué* mort morts mourir meurt tué tuer guerre idiot* con conne cons connard* stupide* ridicule* merde putain inutile* ennuy*
		arnaque* mensonge* menteur scandale* danger* dangereux pollu* grave menac* malheureusement dommage pleure* licenci* marre crise`,
	},
	"es": {
		`bueno buena buenos buenas buen genial* excelente* fantástic* maravill* increíble* hermos* precios* lind* bonit* guap*
		amo ama encanta encantó gusta adoro feliz felices felicidad* contento contenta alegr* orgullos* gracias enhorabuena felicit* perfecto
		perfecta mejor mejores ganar gan* ganado éxito* triunf* divertid* útil recomiend* recomend* ilusión emocionad* ilusionad* esperanza
		suerte jaja* mejorar guay brutal espectacular* bien sonrisa grande crack`,
		`malo mala malos malas mal peor peores odio odiar odia horrible* terrible* fatal asco asqueros* triste* tristeza llor* enfad* enojad*
		molest* decepci* vergüenza vergonzos* fracas* fall* error* problema* roto perder perdí perdido pierde miedo preocup* enferm*
		dolor duele cansad* muert* morir muere mata matar guerra idiota* tont* estúpid* imbécil* ridícul* mierda puta joder inútil*
		aburrid* estafa* mentir* mentira* corrup* ladr* desastre* lamentable* desgraci* pena crisis despid* culpa harto harta basura`,
	},
	"pt": {
		`bom boa bons boas ótim* otim* excelente* fantástic* maravilh* incrív* lindo linda lindos lindas bonit* amo amei ama amando adoro adorei
		adorando gosto gostei feliz felizes felicidade* contente alegr* orgulh* obrigad* parabéns parabens perfeit* melhor melhores ganhou ganhar
		venceu vencer sucesso vitória diverti* útil recomend* sensacional* show top demais emocion* esperança sorte legal fofo fofa
		arras* diva rainha merece mereceu torcendo genial gênio delícia`,
		`ruim ruins mau má mal pior piores odeio odiei ódio odio horrív* terrív* péssim* nojo nojent* triste* tristeza chor* raiva irrit* decep*
		vergonh* fracass* falh* erro* problema* quebrad* perder perdeu perdi perdido medo preocup* doente* dor dói cansad* morr* morte
		matar matou guerra idiota* burr* estúpid* imbecil* ridícul* merda porra caralho inútil* chat* golpe mentir* mentira* corrup* ladr*
		desastre* lixo infelizmente pena crise demit* culpa falsa falso nunca insuport* fraco fraca`,
	},
	"it": {
		`buono buona buoni buone buon bravo brava bravi bello bella belli belle bellissim* ottim* eccellent* fantastic* meravigli* stupend*
		splendid* amo ama adoro felice felici content* gioia fier* orgoglios* grazie complimenti congratul* auguri perfett* meglio migliore migliori
		vinto vincere vittoria successo divertent* utile consigli* emozion* speranza fortuna piace piaciut* simpatic* grande
		grandissim* forza evviva dolce amore incredibil* geni* bene ahah* riuscit*`,
		`male cattiv* brutt* peggio peggiore pessim* odio odiare orribil* terribil* schif* trist* tristezza pian* rabbia arrabbi* delus* deludent*
		vergogn* fallit* fallimento sbagli* error* problem* rott* perso perdere perde paura preoccup* malat* dolore stanc* mort* morire muore
		uccid* guerra idiot* stupid* scem* imbecill* ridicol* merda cazzo inutil* noios* truff* bugi* corrott* ladr* disastr* purtroppo
		peccato crisi licenzi* colpa tass* tagli* massacr* vaffanculo fascist* basta incapac*`,
	},
}

// negators turn the opinion that follows them, by language.
var negators = map[string]string{
	"en": `not no never don't doesn't didn't isn't aren't wasn't weren't won't can't couldn't wouldn't shouldn't haven't hasn't ain't
		cannot without dont cant isnt nothing neither nor hardly`,
	"de": `nicht kein keine keinen keiner keinem nie niemals ohne nix`,
	"fr": `pas ne n jamais aucun aucune sans ni`,
	"es": `no nunca ni sin jamás tampoco`,
	"pt": `não nao nunca nem sem n`,
	"it": `non mai né senza`,
}

// pleasedSigns and displeasedSigns are emoji and other signs that show a mood.
const (
	pleasedSigns    = "😀😃😄😁😆😅😂🤣😊😇🙂😉😍🥰😘😗😙😚😋😛😜🤪😎🤩🥳😌🤗😺😸😻💪👍👏🙌🙏🎉🎊🏆🥇🚀🔥💯✨⭐🌟💖💗💓💞💕💘💝💙💚💛🧡💜🖤🤍❤♥☺👌💃🌹🌸🌺😹👑"
	displeasedSigns = "😞😔😟😕🙁☹😣😖😫😩🥺😢😭😤😠😡🤬😱😨😰😥😓😒🙄😬😑💔👎🤮🤢😷🤒💩😿😾🤦😧😦😪🖕💀☠⚰😵"
)

// The emoticons, without a nose.
var (
	pleasedFaces    = []string{":)", ":d", ";)", ";d", "=)", "=d", ":]", "<3", "xd", ":p", ":*", "(:", "^^", "^_^", ":3"}
	displeasedFaces = []string{":(", ":'(", "=(", ":[", "</3", ":/", ":\\", ">:(", "):", "-_-", ":'[", "d:", ":@", ":s"}
)
