package sentiment

// opinionWords holds words of praise and complaint by language. A word that
// ends in * is a prefix.
var opinionWords = map[string]struct{ positive, negative string }{
	"en": {
		`good great best better love loved loves loving lovely happy amazing awesome excellent fantastic wonderful brilliant
		beautiful nice enjoy* exciting proud glad grateful thank thanks congrat* honored honoured inspiring inspired perfect win
		wins winning won success* impressive impressed helpful fun delight* pleased pleasure recommend* superb outstanding
		incredible yay cool cute blessed hope hopeful promising favorite favourite yes well welcome celebrat* smile laugh* sweet
		admir* adore* adorable appreciat* awesome* bliss* bravo bright brilliant* calm caring charming cheer* classy comfort*
		confident creative cutest darling dear easy effective efficient elegant encourag* energetic enthusias* epic exceptional
		excellence excite* exquisite fab fabulous fair faith fascinat* fine flawless fresh friendly fulfilling funny generous
		genius gentle genuine gift glorious gorgeous grace gracious grand gratitude handsome haha* happiness healthy heartfelt
		heaven hero heroes hilarious humble hug hugs ideal innovat* insightful joy joyful kind kindness kudos legend legendary
		luck lucky magic magical magnificent marvelous marvellous masterpiece neat optimis* passion* peace peaceful phenomenal
		playful pleasant positive precious pretty prais* promot* refreshing relax* reliable remarkable resilient respect*
		reward* rock rocks safe satisf* sexy shine shining smart smooth solid spectacular splendid stellar strong stunning
		stylish sweetest sweetheart talent* terrific thankful thoughtful thrill* treasure triumph* trust* unforgettable
		upbeat valuable victory vibrant warm wealth welcoming wise woohoo woo worth worthy wow xoxo yum yummy`,
		`bad worse worst hate hated hates awful terrible horrible poor sad sadly angry annoy* disappoint* disgust* fail fails
		failed failing failure wrong broken useless boring stupid dumb idiot* ugly pathetic ridiculous waste* worried worry
		worrying problem problems issue* bug bugs scam fraud lie lies liar lost lose losing loser pain painful sick tired fear
		die dies died dead death kill* murder* shit fuck* damn hell sucks crap layoff* unfortunately sorry regret* frustrat*
		unacceptable overpriced slow crash* ruin* shame cry crying mad abandon* abus* ache afraid aggressive alarming alone
		anger anxi* appalling arrogant asham* asshole atrocious awkward backlash bankrupt* bastard beaten bitch* bitter blame*
		bleak blood* bomb* bore bored boredom bother* breach broke brutal bully* burden burnout cancel* careless cheat* clueless
		clumsy cold collapse* complain* complicated confus* corrupt* costly coward* creepy crime* criminal* crisis crisp
		critici* cruel cursed cut damage* danger* dark debt decline* defeat* delay* denied depress* desperat* destroy* devastat*
		difficult dirty disaster* disgrac* dishonest dislike* dismal disturb* doubt* dread* drunk dull dying embarrass*
		emergency empty enem* error* evil exhaust* exploit* expensive fake fault* fear* fight filthy flaw* flop* fool* forgot
		fraudul* freak* furious garbage ghost* gloomy greed* grief gross guilt* hard harm* harass* harsh heartbr* helpless
		hopeless horrific hostile hurt* hypocri* ignor* ill illegal immature incompetent inferior injur* insane insecure insult*
		jealous jerk junk lack* lame lazy lonel* losers lousy mess messy miser* miss missing mistake* mourn* nasty naughty
		negativ* neglect* nervous nightmare nobody nonsense nope obnoxious offen* outrag* overrated panic* paranoi* pity plague
		pointless poison* pollut* poverty prejudic* racis* rage rape* reject* resign* revolting rip rotten rubbish rude sadness
		sadden* scandal* scare* scary sexist shock* sick* shitty shut sinister slap slaughter* sloppy smell* snob sob spam
		stink* stole* stress* struggl* stuck stupidity suck suffer* suicid* suspicious tears terror* terrify* threat* toxic
		tragic tragedy trash troubl* ugh ugliest unfair unhappy unreliable upset* uptight vague vicious victim* vile violen*
		vomit war wars warn* weak weird whin* worse* worthless wtf wound* yuck`,
	},
	"de": {
		`gut gute guten guter gutes super toll tolle tollen toller tolles schön schöne liebe liebt geliebt freue freuen freut
		freude glücklich klasse großartig* perfekt* beste besten bester besser genial* danke dankbar stolz begeister*
		glückwunsch gratul* gewinn* gewonnen erfolg* spaß spass lustig geil geile lecker süß süße hübsch cool empfehl*
		hervorragend* fantastisch* spannend* nett angenehm hoffnung lob zufrieden yeah juhu hihi angenehme* aufregend*
		ausgezeichnet* außergewöhnlich* beeindruck* bemerkenswert* bewunder* bravo brillant* charmant* ehrlich* einfach*
		einzigartig* eindrucksvoll* elegant* entspann* erfreu* erstklassig* exzellent* fair* faszinier* fein* fleißig* freude*
		freundlich* frisch* fröhlich* gelungen* gemütlich* genieß* gesund* glück glücklich* grandios* haha* harmoni* heiter*
		herrlich* herzlich* hilfreich* hilfsbereit* hoffentlich ideal* innovativ* inspirier* interessant* jubel* kompetent*
		kreativ* lach* lächel* lebhaft* lieb liebe* lohn* lustig* mag meisterhaft* motiviert* mutig* niedlich* optimist*
		positiv* prächtig* prima professionell* ruhig* sauber* schöne* sicher* sieg* sinnvoll* sonnig* spitze stark* strahl*
		sympathisch* talent* traumhaft* treu* unglaublich* unterstütz* unvergesslich* vertrau* verdient* verlässlich*
		vorbildlich* vorfreud* warmherzig* wertvoll* willkommen witzig* wohl wunder* zauberhaft* zuverlässig* zufrieden*`,
		`schlecht schlechte schlechten schlechter schlechtes schlimm schlimme schlimmer hasse hass hassen scheiß* scheiss* kacke
		mist blöd* dumm dumme doof traurig* wütend ärger* nerv* enttäusch* schrecklich* grauenhaft* peinlich* falsch kaputt
		problem* fehler verlust verlor* verlier* angst sorge* krank schmerz* müde tot tote toten tod stirbt gestorben mord*
		krieg* idiot* lächerlich unverschämt frech langweilig* betrug lüge* versag* katastroph* ekel* weint heul* arsch* fuck
		fick* verdammt schade allein gefährlich* kündig* teuer ablehn* abscheulich* abzock* aggressiv* alarmier* anstrengend*
		arm arrogant* asozial* aufgeben ausgefallen ausfall* bedauer* bedroh* bedrückend* beleidig* bescheuert* beschwer*
		betrogen betrüg* bitter* böse* brutal* chaos chaotisch* deprim* dreck* dunkel* dreist* eifersücht* einsam* elend* empör*
		entsetz* erschöpf* erschreck* erschütter* feig* feind* fies* frust* furcht* gammel* geiz* gelangweilt gemein* genervt
		gestresst gewalt* gift* grausam* grausig* grässlich* hässlich* heuchl* hilflos* hoffnungslos* horror* hunger*
		inkompetent* irre jammer* klag* kollaps* korrupt* krise* kritik* kritisier* kümmerlich* lahm* lärm* lästig* leid*
		lügner* mangel* mies* miserabel* missbrauch* misserfolg* müde* mühsam* nazi* neid* niederlage* nutzlos* opfer* panik*
		pech pleite* qual* rassis* rauswurf ruin* sauer scham* scheit* schäm* schädlich* schmutzig* schock* schuld* schwach*
		schwer* schwierig* sinnlos* skandal* stau stinkt streit* stress* terror* tragisch* tragödie* trost* trüb* übel*
		überfordert* überteuert* unfair* unfähig* unglück* ungerecht* unheimlich* unmöglich* unnötig* unsinn* unzufrieden*
		unzuverlässig* verachtung verärger* verbrech* verdorben* vergeblich* vergess* verletz* verpasst vermiss* verschwend*
		verspät* verwirr* verzweif* wahnsinn* warnung* weh widerlich* wut zerstör* zornig* zwang*`,
	},
	"fr": {
		`bon bonne bons bonnes super génial* excellent* magnifique* merveill* beau belle beaux belles aime aimer adore* j'adore
		heureux heureuse content* ravi ravie fier fière fiers merci bravo félicit* parfait* meilleur* mieux réussi* succès gagn*
		victoire plaisir joie formidable* fantastique* incroyable sympa drôle mignon* cool utile inspirant* recommand* chance
		espoir encourag* innovant* bonheur amour admir* affectueu* agréabl* aimable* amical* amoureu* amus* apprécie* assuré*
		attachant* avantag* bienveillan* bises bisous brillant* calme* célébr* charmant* charme chaleureu* chouette* confian*
		convivial* courag* créati* délici* doué* doux douce élégan* émerveill* émouvant* enchant* enthousias* épanou*
		époustouflant* étonnant* exceptionnel* excité* extraordinaire* fabuleu* facile* fascin* favori* fidèle* fiert* fort*
		franchement génie gentil* grâce gracieu* grandiose* haha* hâte honnête* honneur idéal* impressionn* inoubliable*
		intelligent* intéressant* jolie* joli joyeu* juste* libre louange* magique* majestueu* marrant* mdr motiv* optimis* paix
		passionn* pertinent* plaît positif* positive* précieu* prestigieu* propre* qualité* rassur* rayonn* récompens*
		reconnaissan* régal* remarquabl* respect* rire rigol* riche* rêve* sain* satisf* sérieu* serein* sincère* soulag*
		sourire* soutien* souriant* splendide* spectaculaire* sublime* talent* tendre* top triomph* valeur* vif vivant* vive`,
		`mauvais* mal pire nul nulle nuls haine triste* colère énerv* décev* déçu déçue horrible* affreux terrible* catastroph*
		honte honteux échec échou* faux cassé problème* erreur* perdu perdre perd peur inquiet inquiét* douleur fatigué* mort
		morts mourir meurt tué tuer guerre idiot* con conne cons connard* stupide* ridicule* merde putain inutile* ennuy*
		arnaque* menteur scandale* danger* pollu* grave menac* dommage licenci* marre crise abandonn* abominable* absurde* abus*
		accabl* accident* accus* affolant* agress* alarm* amer* angoiss* anormal* anxi* arrogant* assassin* atroce* attentat*
		attrist* bête* bidon blâm* blas* bless* bordel brutal* brûl* cancer* chagrin* chaos cher chère chiant* chier choqu*
		chut* coléri* complot* condamn* confus* corromp* corrup* coupable* crève* crétin* crim* critiqu* cruel* débile* déchet*
		décourag* déçoi* dégât* dégoût* dégueul* délit* démission* déplorable* déprim* désagréable* désastr* désespér* désol*
		désordre* détest* détrui* dette* deuil* difficile* dommageable* douloureu* drame* dramatiq* dur effray* effroyable*
		égoïst* embêt* enfer* ennemi* épouvant* épuis* étouff* exaspér* excès fâch* faible* fasciste* fatal* fatigue* faute*
		fraud* froid* frustr* furieu* gâch* gaspill* gên glauque* grève* haïr horreur* hypocrit* ignobl* ignor* illégal*
		impossible* incapable* incompéten* indign* inégal* injust* insult* insupportable* intolér* invivable jalou* laid*
		lamentable* lâche* lent lente lourd* malad* malais* malheur* maltrait* manqu* massacr* médiocr* méchant* mécontent*
		méfi* mens* mépris* misère* misérable* moche* monstr* mortel* nausé* navr* nazi* négligen* négatif* négative* nuisible*
		obscène* odieu* offens* oubli* panique* pauvre* pénible* pénurie* pitié pitoyable* plaint* pleur* pourri* précari*
		préjud* prison puant* pute* racis* rage* râl raté* refus* regret* rejet* retard* révolt* ruin* sale* sanction* sexis*
		sombre* souffr* stress* suicid* tare* terreur* terroris* torture* trahi* tragi* triche* tromp* troubl* vide* victim*
		vilain* viol violen* virus vol voleur* vomi*`,
	},
	"es": {
		`bueno buena buenos buenas buen genial* excelente* fantástic* maravill* increíble* hermos* precios* lind* bonit* guap*
		amo ama gusta adoro feliz felices alegr* orgullos* gracias enhorabuena felicit* mejor mejores ganar gan ganado éxito*
		triunf* divertid* útil recomiend* recomend* ilusión ilusionad* esperanza suerte jaja* guay brutal espectacular* bien
		sonrisa grande crack abraz* acierto* admir* adorable* afortunad* agradable* agradec* aliviad* alent* amable* amad* amig*
		amor* anim* apasion* apreci* aprob* asombros* atractiv* aventura* bella bello belleza bendec* bendici* benefici*
		bienvenid* bravo brillante* cálid* calma campeón* caricia* cariñ* celebr* chulo chula chévere cool cómod* confianza
		confiable* content* cordial* creativ* deleit* delicios* dich* disfrut* divin* dulce* eficaz* eficient* elegant* emocion*
		encant* enorgullec* entusias* espléndid* estupend* exitos* excepcional* extraordinari* fabulos* fácil* fascin* felicid*
		fiel* fiest* flipante fuerte* gener* genio* gloria* gracios* grandios* grat* haha* honest* honor* hurra ideal*
		impecable* impresion* innovador* inolvidable* inspir* inteligent* interesante* jeje* jov justo libre* limpi* list* logr*
		luz madur* mágic* magnífic* mejora* memorable* merec* milagr* molan mola motiva* noble* optimis* oro paz perfec* placer*
		positiv* premio* privileg* prosper* querid* ric rico rica risa* respet* sabios* saludable* sensacional* simpátic*
		sincer* solidari* sonre* sorprend* suav* superb* talent* tern* tierna tierno top tranquil* unid* valios* valient*
		verdader* victori* viva yuju`,
		`malo mala malos malas mal peor peores odio odiar odia horrible* fatal asco asqueros* triste* llor* enfad* molest*
		vergüenza vergonzos* fracas* fall* error* roto perder perdí pierde miedo preocup* enferm* dolor duele muert* morir muere
		mata matar guerra idiota* tont* estúpid* imbécil* ridícul* mierda puta joder inútil* aburrid* estafa* mentir* corrup*
		ladr* lamentable* desgraci* pena crisis despid* culpa abandon* aberra* aborrec* abus* acos* acus* afect* agobi* agot*
		agres* alarm* amarg* amenaz* angusti* anormal* ansied* arrepent* arruin* asesin* asust* atac* atentad* atroz* avergonz*
		bastard* basur* bloque* boludo bronca brutalidad cabr* caca caid* cans* caos car*sim* castig* catástrof* celos* chung*
		cobarde* colaps* cólera complicad* condena* conflict* confus* crimen* criminal* crític* cruel* dañ débil* decaíd* decep*
		defect* defraud* delincuen* demasiado denunci* depre* deprim* derrot* desagrad* desalent* desastr* descar* desconfi*
		descontent* desesper* desgast* desigual* desilus* desprec* destru* destroz* deud* difícil* discrimin* disgust* dram*
		drog* dud duro dura egoís* enemig* engañ* enoj* escándal* esclav* espant* estrés* exager* exigen* explot* extrañ* falt*
		fals* fascis* fastidi* feo fea feos feas fiasco frío frustr* furi* gilipoll* golp* grave* grit* gris* hambr* hart*
		herid* hipócrit* horripil* horror* humill* hundi* ignor* ilegal* impot* inaceptable* incapac* incompet* indign* infelic*
		infierno infern* injust* inmund* inquiet* insegur* insoport* insult* ira irrit* jodid* lent* loco llanto machis* maldi*
		maleduc* malgast* maltrat* manipul* marginad* matanza* mediocr* miserable* miseria* monstru* muri* narc* náuse* nazi*
		necio* negativ* nervios* nefast* obsces* ofend* ofens* olvid* opres* padec* pánico pardill* patétic* pelea* peligr* pen
		perdid* perjud* pesad* pésim* pobre* polémic* preso* problem* protest* putada quej* quiebr* rabi* racis* rechaz* regañ*
		repugn* retras* ridicul* robo robar rob ruin* sangr* secuestr* sinvergüenz* sol solitari* sospech* suci* sufr* suicid*
		susto tard* terribl* terror* tirad* tóxic* tragedi* trágic* traici* traidor* tramp* vag venganza* víctim* violen* vomit*`,
	},
	"pt": {
		`bom boa bons boas ótim* otim* excelente* fantástic* incrív* lindo linda lindos lindas bonit* amo amei ama amando adoro
		adorei adorando gosto gostei feliz felizes felicidade* contente alegr* orgulh* obrigad* parabéns parabens melhor
		melhores ganhou ganhar venceu vencer vitória diverti* útil recomend* sensacional* show top demais emocion* esperança
		sorte legal fofo fofa arras* diva rainha merece mereceu torcendo genial gênio delícia abenço* abraç* acert* admir*
		agradáv* agradec* alivi* amad* amável* amig* amor amores anim* apaixon* aplau* aprend* aproveit* apreci* benção bênção
		beij* beleza* benefic* brilh* bravo cari* celebr* charmos* cheiros* confian* conquist* coração corag* criativ* cuid*
		curt* deli* deslumbr* divin* doce* eficient* elegant* empolg* encant* engraçad* especial* espetacul* esplênd* estimul*
		estupend* excelên* excepcional* extraordin* fabulos* fácil* fascin* favorit* felicit* festa fiel fort* futuro gargalh*
		generos* gentil* gloria* glória* graça* grat* haha* honest* honr* hilár* ideal* impecá* impression* incent* inesquec*
		inovad* inspir* inteligent* interessant* joia kkk leve* liberd* lindíssim* luz mágic* magnífic* maneir* mara* massa
		milagr* mitou mito motiv* nobre* ouro paz perf* prazer* precios* premi* positiv* prosper* querid* qualid* realiz* rei
		respeit* rir ris riso rsrs* saborosa* sabi* saudável* satisf* segur* simpát* sincer* sonh* sorri* suav* sucess* super
		surpreend* talent* tern* tranquil* triunf* uhul uau unid* valeu valios* vencedor* verdad* vibr* viva vitori* zueira`,
		`ruim mau mal pior piores odeio odiei ódio odio horrív* terrív* péssim* nojo nojent* chor* irrit* decep* vergonh*
		fracass* falh* erro* perder perdeu perdi medo preocup* doente* dor dói matar matou guerra idiota* burr* estúpid*
		imbecil* ridícul* merda porra caralho inútil* chat* golpe mentir* corrup* ladr* desastre* lixo pena crise demit* falsa
		falso nunca insuport* fraco fraca abandon* aborrec* abus* acus* afund* agoni* agredi* agress* amarg* ameaç* angust*
		ansios* apanh* arrepend* arrogant* assalt* assassin* assust* atac* atras* babaca* bagunç* baix* bandid* besteir* bosta
		brig* brutal* cadáver cala* cans* caos caro caríssim* castig* catástrof* ciúm* ciument* cobard* colaps* complic*
		condena* conflit* confus* covard* crim* critic* crític* cruel* culp* dano* decad* defeit* demiss* denúnc* depr* derrot*
		desagrad* desânim* desapont* descas* desconfi* desemprego desesper* desgost* desgraç* desigual* desilud* desist*
		desonest* desper* despre* destru* detest* dificil* difíc* dívid* doenç* doid* doloros* drog* duvid* dúvid* egoís* engan*
		enjo* envergonh* escândal* escrot* esquec* estrag* estranh* estress* exaust* explor* falid* falt* farsa* fascis* feio
		feia feios feias ferid* fome foda fodid* fraude* frustr* fúria furios* golpist* grave* gritar guerra* hipócrit* horror*
		humilh* ignor* ilegal* imund* inaceit* incapac* incompet* indign* infern* infeliz* injust* inimig* inseg* insult*
		inúteis invej* ira lament* lent* louc* machist* machuc* mald* maltrat* matança* medíocr* mesquinh* misér* mord* morreu
		mort* naz negativ* nervos* nojeira odeia odi ofend* ofens* otári* panic* pânico patétic* pecad* perdid* perig* pesadel*
		pobre* podre* polêmic* prejud* pregui* pres* prisão problem* puta puto* quebr* queix* rabugent* racis* raiv* reclam*
		rejeit* repugn* revolt* ridicul* roub* ruin* sang* sequestr* sofr* solid* sozinh* suicid* suj tédio temer terror*
		tortur* tóxic* tragéd* trágic* traiç* traído* traid* trist* vagabund* verme vingan* violên* vítim* vomit*`,
	},
	"it": {
		`buono buona buoni buone buon bravo brava bravi ottim* eccellent* fantastic* meravigli* stupend* amo ama adoro felice
		felici content* gioia fier* grazie complimenti congratul* auguri perfett* meglio migliore migliori vinto vincere
		successo divertent* utile consigli* emozion* speranza piace piaciut* grande grandissim* forza evviva amore incredibil*
		geni* bene ahah* riuscit* abbracci* accogl* adatt* adorabil* affascin* affett* affidabil* aiut* allegr* amabil* amat*
		ambizios* amic* ammir* appassion* apprezz* attraent* baci bacio beat* bell* benedett* benissimo benvenut* brillant*
		bravissim* capac* car carino carina carini calm* caloros* celebr* coccol* coinvolgent* comod* competent* confort*
		coraggi* cordial* creativ* curios* deliz* dolc* eccezional* efficac* efficien* elegant* energia entusias* epic*
		equilibr* facil* fascin* favolos* fedel* festa festegg* fiduci* figata figo fort* freschi* futur* gagliard* garb*
		generos* gentil* gioios* giust* gloria godo goder* gradevol* gradit* grandios* grat* gustos* haha* ideal* imperdibil*
		impeccabil* impression* indimentic* innamor* innovativ* insuperabil* intelligent* interessant* ispir* leader leal*
		liber* lieta lieto lodev* luce magia magic* magnific* maturo meglio* memorabil* miracol* mitico mito motivat* nobil*
		onest* onor* oro orgogl* pace perfezion* positiv* pregi* prezios* premi* profession* profum* prosper* puro qualità
		raffinat* rallegr* realizz* regal* ricc* ride ridere ringrazi* rispett* risat* sagg* salute san sensazional* seren*
		sicur* simpat* sincer* sogno sognare soddisf* solar* solid* sorprend* sorris* sorrid* sostegn* spassos* spettacol*
		spiritos* splend* stim* storic* straordinari* strepitos* sublime* super superb* talent* tenero tenera top traguard*
		tranquill* trionf* unic* utilissim* valid* valoros* vincent* virtuos* viva vivace* vittori* wow yeah`,
		`male cattiv* peggio pessim* odio odiare terribil* schif* trist* pian* arrabbi* delus* deludent* vergogn* fallit* sbagli*
		error* problem* rott* perso perdere perde preoccup* malat* stanc* mort* morire muore uccid* guerra idiot* stupid* scem*
		imbecill* ridicol* merda cazzo inutil* noios* truff* bugi* corrott* ladr* purtroppo peccato crisi licenzi* colpa tass*
		tagli* massacr* vaffanculo fascist* basta incapac* abbandon* abus* accus* aggress* allarm* amar* ammazz* angosci* annoi*
		ansia ansios* antipatic* arrogant* assassin* assurd* atroc* attentat* avar* banda bandit* bastard* battaglia bestemm*
		bloccat* boiat* brut* bufal* cacca caos catastrof* chiacchier* ciarlatan* colpevol* comic* complott* condann* confus*
		contestat* contrari* corruzion* cretin* crimin* critic* crudel* crollo crolla* dann* debit* debol* deficient* degrad*
		demenzial* denunc* depress* derid* derub* desolant* detest* difett* difficil* disagi* disast* discrimin* disgust*
		disgrazi* disper* dispiac* disoccup* disonest* disonor* distrugg* distrutt* divorzi* dolor* dramm* droga dubbi* dur
		egois* emergenz* esaurit* esaust* falliment* fals* fame fango farsa fastidi* fatic* fec feccia ferit* figuracc* fregat*
		fredd* frode frustr* furb* furia gaffe gelos* grave* gravissim* guai guast* ignor* illegal* imbarazz* imbrogli*
		immondizia impaur* imposs* incazz* incident* incompet* incub* indecent* indegn* indign* infam* infelic* infern* ingann*
		ingiust* insopport* insult* intoller* invid* ipocrit* ira irresponsabil* irrit* lament* lent* litig* lutto mafi*
		maldest* maled* malissimo malvag* manett* menzogn* mediocr* meschin* minacc* miser* mostr* nausea* nazist* negativ*
		nemic* nerv* nessun* noia odios* offend* offes* orrend* orrib* orrore osceno ossess* pagliacc* panico patetic* paur*
		pazz* peggior* penos* perdent* perdit* pericol* persec* pesant* pietos* poltron* porc* povero povera povertà prigion*
		protest* puzz* rabbi* rapin* razzis* reato repell* rifiut* rimors* rincar* ripugn* ritard* rompi* rovin* rub rumor*
		sacrific* sadic* sangue scandal* scars* schiav* sciagur* sciocc* scioper* sconfitt* sconfort* sconvol* scusa* sfacciat*
		sfigat* sfortun* sfrutt* sgradev* shock sofferenz* soffr* solitudin* sol sospett* spar* spazzatur* spavent* sporc*
		sprec* squallid* stress* strag* stronz* stupr* subdol* suicid* svergogn* tangent* tard* terror* tors* tortur* tossic*
		traged* tragic* tradi* trauma* truc* uccis* umili* urla* vecchi* veleno vendett* vigliacc* vil violent* violenza vittim*
		vomit*`,
	},
	"ar": {
		`جميل جميله الجميل حلو حلوه روعه رائع رائعه ممتاز ممتازه افضل احسن احب احبك بحب بحبك الحب حبيبي حبيبتي سعيد سعيده سعاده
		فرح فرحان فرحه مبروك الف شكرا شكر الشكر الحمد لله يسعد مبارك نجاح ناجح فوز فاز فخور فخر عظيم عظيمه بطل ابطال تحيه تحياتي
		خير الخير طيب طيبه لذيذ رحمه سلام السلام امل الامل تفاءل تفاؤل متفائل ابداع مبدع مميز مميزه اجمل اروع كفو ماشاءالله
		ماشاء هههه ههههه بركه وردي عسل قمر ذكي قوي نعمه توفيق موفق بالتوفيق يوفق ابتسامه ضحك استمتع ممتع مفيد محترم راقي فخامه
		وفاء صادق عيد سعد هدية جنة الجنه يارب اللهم`,
		`سيء سيئه اسوا زفت خايس حزين حزينه حزن زعل زعلان كره اكره بكره كريه قبيح غبي غبيه اغبياء حمار كلب كلاب حقير خاين خائن
		خيانه كذب كذاب كاذب ظلم ظالم فشل فاشل فاشله خساره خسر خسران حرب الحرب قتل قتلى يقتل مقتل قتيل شهيد موت مات ماتوا الم وجع
		مرض مريض تعب تعبان خوف خايف قلق غضب غاضب عصبي زهق ملل ممل طفش فساد فاسد سرقه سارق حرامي لصوص ارهاب ارهابي داعش مجرم
		جريمه عار مصيبه كارثه ازمه مشكله مشاكل عنصري عنصريه خطا غلط اسف للاسف مستحيل دمار تدمير قصف دموع بكاء يبكي ابكي لعن لعنه
		قهر مقهور ندم فقر فقير جوع سجن اعتقال احتلال تخلف متخلف وسخ قذر تافه تافهين تفاهه سخيف غثيث ضعيف حسبي غالي احباط محبط
		صدمه وداع فراق ظلام ملعون انتحار`,
	},
	"hi": {
		`accha achha acha acche achhe badhiya badiya mast zabardast jabardast shandar shaandar khoobsurat sundar pyar pyaar pyara
		pyari mohabbat khush khushi shukriya dhanyavad dhanyawad shubh badhai mubarak jeet jeeta jeeto jai shabash wah waah
		kamaal kamal maza majaa mazaa masti dost dosti yaar salute respect love loved lovely good great nice best super awesome
		amazing beautiful happy congrats congratulations thanks thank proud win winner hero legend king cool cute wow haha* fan
		favourite bless blessed swag asli sahi sach himmat izzat aman shanti sukoon`,
		`bura buri bure ganda gandi gande bekar bekaar bakwas bakwaas ghatiya kharab khatam dukh dukhi dard rona rote roya gussa
		nafrat jhoot jhooth jhuth jhutha jhootha chor chori ghotala bhrasht bhrashtachar gaddar dhokha maut mara maar mar marte
		mare khoon qatal hatya balatkar atank aatank atankwadi danga dange kutta kutte kutiya kamina kamine harami haramzada
		saala saale sala sale chutiya chutiye bhosdike madarchod bhenchod gaand lund randi gadha gadhe ullu pagal bewakoof
		bevkoof nalayak nikamma sharam sharm beshram gunda gunde garib gareeb bhookh berozgar berojgari mehnga mehngai barbad
		barbaad nuksan haar hara darr dar dara pareshan pareshani mushkil galat galti jhagda dushman bad worst hate sad angry
		shame fake fail failed corrupt stupid idiot shit fuck* useless poor problem rape terror* kill* dead death`,
	},
}

// negators invert the opinion that follows them, by language.
var negators = map[string]string{
	"en": `not no never don't doesn't didn't isn't aren't wasn't weren't won't can't couldn't wouldn't shouldn't haven't hasn't ain't
		cannot without dont cant isnt nothing neither nor hardly`,
	"de": `nicht kein keine keinen keiner keinem nie niemals ohne nix`,
	"fr": `pas ne n jamais aucun aucune sans ni`,
	"es": `no nunca ni sin jamás tampoco`,
	"pt": `não nao nunca nem sem n`,
	"it": `non mai né senza`,
	"ar": `لا ما مش مو ليس لم لن غير بدون ولا مافي مفيش مب`,
	"hi": `nahi nahin nahii nai nhi nahe na mat kabhi bina not no never`,
}
