package sentiment

// opinionWords holds words of praise and complaint by language. A word that
// ends in * is a prefix. The lists are general vocabulary: feelings, judgements,
// thanks and complaints, translated from one list of meanings. They were
// written without the posts of the corpus; their author had seen three of them
// in Arabic.
var opinionWords = map[string]struct{ positive, negative string }{
	"en": {
		`good great better best excellent* amazing* awesome* wonderful* fantastic* brilliant* superb* perfect* outstanding*
		nice lovely beautiful* gorgeous pretty cute sweet kind* friendly helpful* useful reliable easy fast clean fresh fun
		funny happy happi* glad delight* pleased pleas* joy* cheer* enjoy* love loved loves loving adore* like liked likes
		favorite* favourite* fan thank* thx grateful* appreciat* bless* proud* pride congrat* celebrat* win wins winner*
		winning won success* succeed* achiev* excit* thrill* inspir* motivat* impress* recommend* hope* hopeful optimis*
		trust* honest* smart clever talent* gift* genius strong* brave* hero* legend* champion* safe* calm* relax* comfort*
		peace* laugh* smil* hug* kiss* cool epic stunning incredible magnific* marvel* charm* elegan* genuine* generous*
		worth* benefit* improv* progress* solved fixed works welcome bravo hurray hooray yay wow woohoo lucky luck treat
		sunshine dream* magic* special* unforgettable* yummy delicious tasty positive*`,
		`bad worse worst awful* terrible terribl* horrib* dreadful* disgust* gross nasty ugly poor* lousy crap* shit* rubbish
		garbage trash useless* worthless* pointless boring bore* dull slow* broken break* broke fail* fault* bug bugs buggy
		error* problem* issue* trouble* wrong* mistake* mess* chaos disaster* catastroph* tragic* tragedy sad sadly sadness
		unhapp* depress* cry crying cried tears hurt* pain* sick* ill suffer* die died dies dead death* kill* murder* attack*
		war terror* violen* abus* threat* danger* fear* afraid scared scary worr* anxi* stress* panic* angry anger* mad
		furious rage hate* hated hates hating dislike* despise* annoy* irritat* frustrat* disappoint* upset* regret*
		sorry shame* asham* embarrass* guilt* blame* lie lied lies liar* lying cheat* fraud* scam* corrupt* steal* stole*
		theft crim* jail* prison* racis* sexis* idiot* stupid* dumb fool* moron* pathetic ridiculous* insane* nonsense
		bullshit fuck* damn* hell wtf ugh lose loser* losing lost loss* miss* lonely alone tired exhaust* sucks sucked
		complain* refus* reject* ignore* unaccept* unfair* unfortun* impossible expensive overpriced delay* cancel* crash*
		ruin* destroy* damage* waste* weak* dirty rude* arrogan* selfish cruel* evil nightmare* crisis negative*`,
	},
	"de": {
		`gut gute guter gutes guten gutem besser* beste* bester bestes besten toll* super klasse prima großartig* grossartig*
		wunderbar* wunderschön* wunderschoen* wundervoll* fantastisch* genial* hervorragend* ausgezeichnet* exzellent* perfekt*
		spitze* herrlich* schön* schoen* hübsch* süß* süss* suess* lieb liebe lieben liebt liebst liebe* nett* freundlich*
		hilfreich* nützlich* zuverlässig* einfach leicht schnell sauber frisch* spaß* spass* lustig* witzig* froh* fröhlich*
		glücklich* gluecklich* glück gluck glück* freu* begeister* genieß* geniess* mag magst mögen lieblings* fan fans
		dank* danke* dankbar* stolz* gratul* glückwunsch* herzlich* feier* gewinn* gewonnen sieg* erfolg* geschafft
		spannend* inspir* motivier* beeindruck* empfehl* empfohlen hoff* optimis* vertrau* ehrlich* klug* schlau* talent*
		stark* mutig* held* legende* meister* sicher* ruhig* entspann* gemütlich* frieden* lach* lächel* kuss* küss* umarm*
		cool* geil* hammer mega krass* wow hurra juhu bravo yeah zauber* traum* besonder* unvergess* lecker* köstlich*
		lohnt* vorteil* verbesser* fortschritt* gelöst funktioniert willkommen gelungen* positiv* sonnig*`,
		`schlecht* schlimm* schrecklich* furchtbar* grausam* grauenhaft* grauenvoll* entsetzlich* eklig* ekel* widerlich*
		hässlich* haesslich* mies* miese* mist scheiß* scheiss* kacke* müll* schrott* nutzlos* wertlos* sinnlos* langweil*
		öde langsam* kaputt* defekt* versag* fehler* problem* störung* ärger* aerger* verärger* falsch* chaos* katastroph*
		tragisch* tragödie* traurig* trauer* unglücklich* deprimier* wein weinen weint heul* tränen schmerz* weh tut krank*
		leid* leiden leidet sterb* stirb* gestorben tot tote toten tod töt* mord* angriff* krieg* terror* gewalt* missbrauch*
		droh* gefahr* gefährlich* angst* ängst* sorge* sorgen stress* panik* wut wüten* sauer zorn* hass* hasse* nerv*
		frustr* enttäusch* enttaeusch* bedauer* bereu* leider schade scham* schäm* peinlich* schuld* lüg* lueg* betrug*
		betrüg* korrupt* klau* gestohlen diebstahl* verbrech* gefängnis* rassis* idiot* dumm* blöd* bloed* doof* lächerlich*
		irrsinn* wahnsinnig* unsinn quatsch arsch* verdammt* fuck* verlier* verlor* verlust* vermiss* einsam* allein müde
		erschöpf* beschwer* verweiger* abgelehnt ignorier* unfassbar* unverschämt* unfair* unmöglich* teuer* überteuert*
		verspät* ausgefallen ausfall* absturz* zerstör* schaden* beschädigt* verschwend* schwach* dreckig* unfreundlich*
		arrogan* egois* böse* albtraum* alptraum* krise* negativ* armselig* kotz* pfui`,
	},
	"fr": {
		`bon bonne bons bonnes bien mieux meilleur* excellent* génial* genial* super top formidable* merveill* magnifique*
		fantastique* extraordinaire* parfait* superbe* splendide* beau belle beaux belles joli* mignon* doux douce gentil*
		sympa* aimable* utile* fiable* facile* rapide* propre* frais fraîche drôle* amus* marrant* rigol* heureu* content*
		ravi* joie* joyeu* plaisir* plaît adore* adoré* aime* aimé* aiment amour* préféré* fan fans merci* remerci*
		reconnaissan* bénédiction fier fière fiers fières fierté félicit* bravo* fête* fêter gagn* victoire* vainqueur*
		succès réussi* réussite* passionn* enthousias* inspir* motiv* impressionn* recommand* espoir* espér* optimis*
		confiance honnête* intelligent* malin talent* don génie* fort forte courag* héros légende* champion* sûr* calme*
		détend* confort* paix rire* rigole* sourire* souri* bisou* câlin* cool chouette* classe* wow hourra youpi ouais
		charm* élégan* généreu* utile* avantage* amélior* progrès résolu* fonctionne* bienvenue* chance* chanceu* rêve*
		magi* spécial* inoubliable* délicieu* savoureu* positif* positive* soleil* kiff* hâte impeccable* sublime*`,
		`mauvais* mal pire* pires affreu* horrible* atroce* terrible* épouvantable* dégoût* dégueu* moche* laid* nul nulle
		nuls nulles merde* merdi* pourri* ordure* inutile* ennuy* ennui* chiant* lent* cassé* panne* échec* échou* défaut*
		bug* erreur* problème* probleme* souci* faux tort faute* bordel* chaos désastre* catastroph* tragi* tragédie* triste*
		tristesse* malheur* dépri* dépress* pleur* larme* douleur* souffr* blessé* malade* maladie* mort morte morts mortes
		mourir meurt décès tuer tué* meurtre* assassin* attaque* attentat* guerre* terroris* violen* abus* menac* danger*
		peur* effray* inquiet* inquièt* angoiss* stress* panique* colère énerv* furieu* rage hain* haï* déteste* détesté*
		agac* irrit* frustr* déçu* déception* décev* regret* désolé* honte* honteu* gên* coupable* mensonge* ment menteu*
		trich* fraude* arnaque* escroc* corrup* vol volé* voleu* crime* criminel* prison* racis* sexis* idiot* stupid* con
		conne cons connard* débile* imbécile* ridicule* absurde* n'importe putain* foutu* enfer* perd* perdu* perte* manque*
		seul* solitude fatigu* épuis* plain* plainte* refus* rejet* ignor* inacceptable* injust* impossible* cher chère
		retard* annul* plant* ruin* détrui* dégât* gâch* faible* sale* impoli* arrogan* égoïs* cruel* méchant* cauchemar*
		crise* négati* pénible* lamentable* minable* scandal* pitoyable* marre`,
	},
	"es": {
		`bueno buena buenos buenas buen bien mejor* excelent* genial* super maravill* magnífic* fantástic* extraordinari*
		perfect* estupend* espectacular* increíble* hermos* bonit* lind* precios* bell* guap* dulce* tiern* amable* simpátic*
		útil* fiable* fácil* rápid* limpi* fresc* divertid* gracios* feliz felic* content* alegr* encant* disfrut* gust*
		amo ama amar aman amor* ador* quiero querid* favorit* fan gracias agradec* agradezc* bendic* bendecid*
		orgull* felicidades felicit* enhorabuena celebr* gana ganar ganó ganamos ganador* victoria* éxito* exitos* logr*
		emocion* ilusion* inspir* motiv* impresion* recomiend* recomend* esperanza* optimis* confianza confí* honest*
		sincer* inteligent* list* talent* genio fuerte* fuerza* valient* héroe* leyenda* campe* segur* tranquil* relaj*
		cómod* paz risa* ríe* sonri* beso* besit* abrazo* cool guay mola* bravo viva olé wow yupi chever* bacan* chid*
		encantador* elegan* generos* ventaj* mejor* progres* resuelt* solucion* funcion* bienvenid* suerte sueño* magia
		mágic* especial* inolvidable* delicios* ric* sabros* positiv* jaja* maj* brillant* sensacional*`,
		`mal malo mala malos malas peor* pésim* horrible* terrible* espantos* asqueros* asco feo fea feos feas mierda*
		basura* inútil* aburr* lent* roto rota rompi* fall* fracas* error* problem* equivoc* culpa* desastr* catástrof*
		catastrof* trágic* tragedia* trist* infeliz* depri* depres* llor* lágrima* dolor* duele* sufr* herid* enferm* muert*
		morir muere* murió matar mata mató asesin* ataque* atentad* guerra* terror* violen* abus* amenaz* peligr* miedo*
		asust* preocup* angusti* ansiedad estrés pánico enfad* enoj* furios* rabia* ira odio odia* odi* detest* molest*
		fastidi* irrit* frustr* decepcion* lament* arrepient* vergüenza* vergonz* pena culpab* mentir* miente* trampa*
		fraude* estaf* timo corrup* rob* ladr* crim* delit* cárcel racis* machis* idiot* estúpid* tont* imbécil* gilipoll*
		ridícul* absurd* tonter* puta* puto* joder jodid* coño carajo maldit* infierno* pierd* perd* pérdid* extrañ* sol
		cans* agotad* quej* rechaz* ignor* inacept* injust* desgraci* imposible* caro cara caros caras retras* cancel*
		arruin* destru* daño* dañ* débil* suci* malded* groser* arrogan* egoíst* cruel* malvad* pesadilla* crisis negativ*
		hart* lamentable* penos* indign* patétic* hipócrit* cobard*`,
	},
	"pt": {
		`bom boa bons boas bem melhor* excelent* ótim* otim* genial* super maravilh* magnífic* fantástic* extraordinári*
		perfeit* espetacular* incrível incríveis lind* bonit* bel* fof* doce* querid* amável simpátic* útil* confiável fácil*
		rápid* limp* fresc* divertid* engraçad* feliz* felic* content* alegr* ador* amo ama amar amei amam amor* curti*
		gost* favorit* fã obrigad* agradec* grat* abenço* bênção orgulh* parabéns parabens celebr* comemor* ganh* vencer
		vence* vitóri* sucesso* consegui* conquist* emocion* empolg* animad* inspir* motiv* impression* recomend* esperança*
		otimis* confian* confi* honest* sincer* inteligent* espert* talent* gênio fort* força* corajos* herói* lenda* campe*
		segur* calm* tranquil* relax* confort* paz ris* sorri* beij* abraç* legal massa show top bravo viva oba uhul wow
		encant* elegan* generos* vantag* melhor* progress* resolvid* funcion* bem-vind* sorte sonh* mágic* especial*
		inesquecív* delicios* gostos* saboros* positiv* kkk* haha* arras* sensacional* brilhant* saudável`,
		`mal mau má maus más pior* péssim* pessim* horrível horríveis terrível terríveis nojent* nojo feio feia merda* lixo*
		inútil* chat* tédio entedi* lent* quebr* falh* fracass* erro* problem* errad* culpa* desastr* catástrof* trágic*
		tragédi* trist* infeliz* depri* depress* chor* lágrim* dor dores dói doendo sofr* ferid* doent* doença* mort* morr*
		matar mata matou assassin* ataque* guerra* terror* violên* violent* abus* ameaç* perig* medo* assust* preocup* angúst*
		ansiedad* estress* pânico brav* zangad* furios* raiva* ódio odei* odiar odi* detest* irrit* incomod* frustr*
		decepcion* desapont* lament* arrepend* vergonh* pena culpad* ment* fraud* golp* corrup* roub* ladr* crim* cadeia
		prisão racis* machis* idiot* estúpid* burr* imbecil* otári* ridícul* absurd* besteira* porra caralho puta* foda*
		fodid* maldit* infern* perd* perc* saudad* sozinh* cansad* exaust* reclam* recus* rejeit* ignor* inaceit* injust*
		infeliz* impossív* car* atras* cancel* arruin* destr* dan* frac* suj* grosser* arrogan* egoíst* cruel* malvad*
		pesadel* crise* negativ* droga* palhaç* lamentável vergonhos* hipócrit* covard* safad*`,
	},
	"it": {
		`buono buona buoni buone buon bene bello bella belli belle bell* bravo brava bravi brave miglior* meglio eccellent*
		ottim* fantastic* meravigli* magnific* straordinari* perfett* splendid* stupend* spettacol* incredibil* grande grandi
		carino carina carini dolce* gentil* simpatic* util* affidabil* facil* veloc* pulit* fresc* divert* felic* content*
		alleg* gioi* piace* piacere ador* amo ama amare amano amore* preferit* fan grazie ringrazi* grat* benedi* orgogl*
		fier* complimenti congratul* auguri festegg* vinc* vinto vittori* success* riuscit* emozion* entusias* ispir*
		motiv* impression* consigli* raccomand* speran* sper* ottimis* fiduci* onest* sincer* intelligent* furb* talent*
		genio geni* fort* forz* coragg* eroe eroi leggend* campion* sicur* calm* tranquill* rilass* comod* pace rider* rid*
		sorris* sorrid* bacio baci abbracc* evviva viva wow urrà figo fico mitic* favolos* incant* elegant* generos*
		vantagg* miglior* progress* risolt* funziona* benvenut* fortun* sogn* magi* special* indimenticabil* delizios*
		buonissim* gustos* positiv* brillant* sensazional* speciale*`,
		`male cattiv* peggio* pessim* orribil* terribil* tremend* schif* disgust* brutt* merda* schifezz* spazzatura inutil*
		noios* noia lent* rott* guast* fallit* falliment* error* problem* sbagli* colpa* disastr* catastrof* tragic*
		tragedi* trist* infelic* depress* piang* lacrim* dolor* soffr* ferit* malat* malatti* mort* morir* muor* uccid*
		ucciso assassin* attacc* attentat* guerr* terror* violen* abus* minacc* pericol* paura* spavent* preoccup* angosc*
		ansia stress* panico arrabbi* furios* rabbia ira odio odia* odi* detest* fastidi* irrit* frustr* delus* delud*
		deludent* rimpiang* vergogn* pena colpevol* bugi* mentir* ment* trucc* frod* truff* corrott* corruzion* rub* ladr*
		crimin* reat* carcer* galera razzis* fascis* idiot* stupid* scem* imbecil* cretin* ridicol* assurd* sciocchezz*
		cazzo cazzat* vaffanculo fancul* stronz* coglion* puttan* maledett* infern* perd* pers* perdit* manca* sol* stanc*
		esaust* lament* rifiut* respint* ignor* inaccettabil* ingiust* sfortun* purtroppo impossibil* caro cara costos*
		ritard* cancell* rovin* distrugg* dann* debol* sporc* maleducat* arrogant* egois* crudel* incub* crisi negativ*
		vergognos* ipocrit* buffon* incapac* incompetent* penos* povero poveri`,
	},
	"ar": {
		`جيد جيده حلو حلوه جميل جميله جمال رائع رائعه روعه ممتاز ممتازه مذهل عظيم عظيمه مبدع ابداع مبهر كويس زين تمام احسن
		افضل اجمل احلى حب احب احبك بحب بحبك نحبك حبيبي حبيبتي عشق اعشق غالي عزيز سعيد سعيده سعاده فرح فرحه مبسوط مسرور بهجه
		ضحك ابتسامه شكر شكرا مشكور ممنون يسلمو تسلم مبروك مبارك تهانينا الف بركه الحمد حمد نعمه توفيق موفق موفقين ناجح نجاح
		نجح فوز فاز بطل ابطال بطوله انتصار نصر فخر فخور افتخر شجاع قوي قوه ذكي مفيد سهل سريع نظيف لذيذ طيب طيبه كريم كرم
		لطيف محترم مخلص صادق صدق امين امل تفاؤل متفائل ثقه امان سلام راحه هدوء استمتع ممتع متعه رحمه جنه خير بخير ورد
		وردات قلب اسطوره خرافي فخم انيق مميز متميز تميز يستاهل برافو عاش ياسلام كفو هههه مستقبل تطور تقدم انجاز`,
		`سيء سيئ سيئه سوء اسوء اسوا رديء زفت زباله قبيح بشع فظيع مقرف قرف وسخ كريه فاشل فشل خطا غلط مشكله مشاكل عيب عطل
		خراب خربان دمار كارثه مصيبه مأساه ماساه حزين حزن زعل زعلان بكاء ابكي دموع الم وجع تعب تعبان مرض مريض موت مات ميت
		قتل قتلى يقتل قاتل ذبح حرب ارهاب ارهابي داعش هجوم تفجير قصف عنف اعتداء تهديد خطر خوف خايف قلق توتر غضب غاضب كره
		اكره يكره حقد ملل ممل زهق احباط خيبه ندم اسف للاسف حرام عار فضيحه خزي ذنب كذب كذاب يكذب نصب نصاب احتيال غش فساد
		فاسد سرقه سارق حرامي لص جريمه مجرم سجن عنصري ظلم ظالم غبي غباء احمق حمار كلب حقير خسيس تافه سخيف مجنون جنون
		خسر خساره خسران ضاع ضياع وحيد وحده يائس يأس شكوى رفض تجاهل مستحيل تاخير الغاء تخريب ضعيف ضعف وقح متكبر
		اناني شر شرير كابوس ازمه لعنه لعن جحيم خائن خيانه نفاق منافق جبان فقر فقير جوع حسره قهر مقهور`,
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
}
