package enrich

// functionWords holds, by language, articles, pronouns, prepositions,
// conjunctions, auxiliaries and the like: the words that give a language away
// and say nothing of a subject.
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
	"nl": `de het een en of maar als dat die dit deze wat wie waar wanneer waarom hoe ik jij je hij zij ze wij we jullie u mij me jou hem haar
		ons hen hun mijn jouw zijn onze is ben bent was waren wordt worden werd heb hebt heeft hebben had kan kunnen kun moet moeten zal zou zullen wil
		niet geen niets nooit in op aan bij met van voor naar uit over onder door tegen zonder tot tussen te om ook nog al heel zeer zo dan
		toch er hier daar nu altijd weer meer veel alle alles iets iedereen onze omdat dus wel na sinds`,
	"sv": `en ett och eller men om att som när var vad vem varför hur jag du han hon den det vi ni de mig dig sig oss er dem min mitt mina din ditt
		sin sitt vår vårt våra är var varit vara blir blev har hade ha kan kunde ska skulle vill måste får inte ingen inget aldrig i på av med från
		till för över under mellan genom utan efter före hos också även mycket mer än så då här där nu alltid alla allt något någon denna dessa
		detta eftersom bara sedan väldigt`,
	"da": `en et og eller men om at som når hvad hvem hvor hvorfor hvordan jeg du han hun den det vi i de mig dig sig os jer dem min mit mine din
		dit sin sit vores er var været være bliver blev har havde have kan kunne skal skulle vil må får ikke ingen intet aldrig på af med fra til
		for over under mellem gennem uden efter før hos også meget mere end så da her der nu altid alle alt noget nogen denne disse dette fordi bare
		siden lige`,
	"no": `en et ei og eller men om at som når hva hvem hvor hvorfor hvordan jeg du han hun den det vi dere de meg deg seg oss dem min mitt mine din
		ditt sin sitt vår vårt våre er var vært være blir ble har hadde ha kan kunne skal skulle vil må får ikke ingen aldri i på av med fra til
		for over under mellom gjennom uten etter før hos også mye mer enn så da her der nå alltid alle alt noe noen denne disse dette fordi bare
		siden veldig`,
	"fi": `ja tai mutta jos että kun kuin joka jotka mikä mitä missä mistä milloin miksi miten kuka minä sinä hän me te he se ne minun sinun hänen
		meidän teidän heidän minua sinua sitä niitä tämä tämän tätä nämä tuo on olen olet olemme ovat oli olivat ollut olla olisi voi voit voivat
		pitää täytyy ei en et emme eivät ole nyt sitten vain myös vielä jo hyvin aina koskaan kaikki kaikille paljon enemmän mukaan kanssa ilman
		ennen jälkeen vaan niin eli siellä täällä siitä tästä sen`,
	"pl": `i oraz lub albo ale jeśli jeżeli że żeby który która które których co kto gdzie kiedy dlaczego jak ja ty on ona ono my wy oni mnie mi ciebie
		cię ci jego jej go mu nas was ich im się mój moja moje twój nasz nasze naszego jest są jestem jesteś był była było były być będzie będą
		ma mam masz mają może można nie nic nigdy nikt w we z ze na do od o po przy przez dla bez nad pod przed między za u też także już
		jeszcze tylko bardzo tak tu tam teraz zawsze to ten ta te tego tej tym tych wszystko wszyscy wszystkich więc bo czy`,
	"cs": `a i nebo ale jestli že aby který která které kteří co kdo kde kdy proč jak já ty on ona ono my vy oni mě mně mi tě tobě jeho její jí mu
		nás vás nám vám jich jim se si můj moje tvůj náš naše našeho je jsou jsem jsi jsme jste byl byla bylo byli být bude budou má mám máš
		mají může ne není nic nikdy nikdo v ve z ze na do od o po při přes pro bez nad pod před mezi za u také taky už ještě jen velmi
		tak tu tam teď vždy to ten ta ti toho této tom všechno všichni všem protože když než by bych`,
	"ro": `și şi sau dar dacă că să care ce cine unde când cum de ce eu tu el ea noi voi ei ele mă te se ne vă îi îl o lui mea meu mei tău sa său
		noastră nostru este e sunt ești suntem era erau fi fost va vor am ai are avem aveți au avea poate pot trebuie nu nimic niciodată nimeni în
		din de la pe cu fără pentru prin despre între până spre după al ale ai cel cea cei cele un o unei unui foarte mai mult și tot toate toți
		acest această aceste acum aici acolo încă doar deja pentru că ca`,
	"hu": `a az egy és vagy de ha hogy aki ami amely mi ki hol mikor miért hogyan én te ő mi ti ők engem téged őt nekem neked neki nekünk
		van vagyok vagy vagyunk vannak volt voltak lesz lenne kell lehet nem ne nincs semmi soha senki is már még csak nagyon így úgy itt ott
		most mindig minden mindenki több sok ez azt ezt ezek azok erre arra ebben abban után előtt alatt között szerint mert meg el fel ki be
		le össze vele velem velünk akkor mint azért`,
	"tr": `ve veya ama fakat eğer ki bir bu şu o ben sen biz siz onlar beni seni onu bizi bana sana ona bize benim senin onun bizim sizin
		ne kim nerede nasıl neden niçin zaman var yok değil mi mı mu mü için ile gibi kadar sonra önce göre karşı çok daha en az hep her
		hiç şey şimdi burada orada da de oldu olan olarak olduğu olur olacak ediyor etmek ettim hem ya çünkü bile artık sadece kendi bütün tüm`,
	"id": `yang dan atau tetapi tapi jika kalau bahwa karena apa siapa di mana dimana kapan mengapa bagaimana saya aku kamu anda dia ia kami kita
		mereka ini itu adalah ada akan sudah telah sedang bisa dapat harus mau ingin tidak tak bukan belum jangan ke dari pada dengan tanpa untuk
		oleh tentang antara sampai sejak dalam juga masih hanya sangat lebih paling lagi sini sana sekarang selalu semua banyak para
		saat sebagai seperti agar supaya nya yg gak nggak`,
	"hi": `hai hain ho hoon hun tha thi ka ki ke ko kya kyu kyun nahi nahin nhi mein mai main hum tum aap ye yeh wo woh koi kuch bhi aur lekin
		par se toh bhai ji na mat kar karo karna kiya raha rahi rahe rha rhe hota hoti jata gaya gayi gya apna apne apni mera meri mere tera
		tere uska uski iske inka sab bahut bohot abhi phir jab is us kb or re h na tha kr rha nhi ne kyo aaj ab sirf jaise waqt liye jaa aa le de hum humein kaisi kaisa apki aapka tumhara hua hui hue tab agar kaise kaun kab yaar accha acha hona wala wale wali diya liya`,
	"sk": `a i alebo ale ak že aby ktorý ktorá ktoré ktorí čo kto kde kedy prečo ako ja ty on ona ono my vy oni ma mňa mi ťa tebe jeho jej mu
		nás vás nám vám ich im sa si môj moje tvoj náš naše nášho našej je sú som sme ste bol bola bolo boli byť bude budú má mám máš
		majú môže nie nič nikdy nikto v vo z zo na do od o po pri cez pre bez nad pod pred medzi za u tiež už ešte len veľmi
		tak tu tam teraz vždy to ten tá ti toho tejto tom všetko všetci všetkým pretože keď než by`,
	"hr": `i ili ali ako da koji koja koje koju kojima što šta tko ko gdje kada zašto kako ja ti on ona ono mi vi oni me mene mi te tebe njega njen
		nas vas nama vama njih im se moj moja moje tvoj naš naša naše našem je su sam smo ste si bio bila bilo bili biti bit će ću ima imam imaš
		imaju može ne nije nisam nema ništa nikad nitko u iz s sa na do od o po pri kroz za bez nad pod pred među kod također već još samo vrlo
		tako tu tamo sada uvijek to taj ta ovaj ova ovo sve svi svima jer kad nego bi li netko`,
	"ca": `el la els les un una uns unes i o però si que qui quan com on perquè jo tu ell ella nosaltres vosaltres ells em et es ens us ho li
		meu meva meus teu teva seu seva nostre nostra sóc ets és som són era ser estat estic està estan he has ha hem han hi haver tinc té
		fa fer vaig va van vam pot poden no ni res mai ningú del dels al als a en amb sense sobre per pel fins des entre cap aquest
		aquesta això aquests aquell més molt menys tan també ja encara tot tots tothom altre així aquí ara només doncs cada alguna algú`,
	"vi": `và của là có không tôi bạn anh chị em nó họ chúng ta mình này đó kia ấy được cho với trong ngoài trên dưới từ đến ở về bởi vì nếu thì
		mà nhưng hay hoặc khi đã đang sẽ rất quá lắm cũng chỉ còn vẫn một những các nhiều ít mọi người ai gì nào đâu sao bao như để phải nên ra vào`,
	"ru": `и в не на что с по как это к но он она оно мы вы они я ты из у за от так о же все всё для то бы был была было были быть есть если
		меня мне тебя его её ее ему нас вас их мой моя моё наш ваш кто где когда почему или уже ещё еще только очень тоже можно нет да
		этот эта эти тот до при под над чтобы чем потому который которая которые сейчас всегда`,
	"uk": `і й в у не на що з із по як це до але він вона воно ми ви вони я ти за від так про ж все для то би був була було були бути є якщо
		мене мені тебе його її йому нас вас їх мій моя наш ваш хто де коли чому або чи вже ще тільки дуже також можна немає та цей ця ці той
		при під над щоб ніж тому який яка які зараз завжди та своє`,
	"bg": `и в не на че с по как това към но той тя то ние вие те аз ти из за от така о же всичко е са съм си сме сте беше бяха бъде ще има няма
		ме ми мен го я му ни ви им мой моя наш ваш кой къде кога защо или вече още само много също може да този тази тези до при под над
		който която които сега винаги се във със след преди`,
	"sr": `и у не на што шта са из по како то ка али он она оно ми ви они ја ти за од тако о же све је сам си смо сте су био била било бити ће ћу има
		нема ме мене га њега њен му нас вас нама им их мој моја наш наша наше ваш ко где када зашто или већ још само врло веома такође
		може да овај ова ово ови тај та до при под над који која које који сада увек се јер неко свима`,
	"mk": `и во не на што со од по како тоа кон но тој таа тие јас ти за така о се сè е сум си сме сте беше беа биде ќе има нема ме мене го
		неа му нè ве им ги мој моја наш нашата нашиот ваш кој каде кога зошто или веќе уште само многу исто може да овој оваа овие до при под
		над која кои сега секогаш дали некој сите`,
}

// commonWords adds words that are frequent in posts and belong to few
// languages.
var commonWords = map[string]string{
	"en": `today tomorrow yesterday good great new day time people work like love know think want need see going make thanks thank please
		happy year week job team first last really right back way best next night morning world life day's things would've gonna wanna
		looking hiring proud excited company business share read check out live watch join here's better feel little big old
		sat sun oct nov sept game says say come show help start keep made never's congrats yes hello hi hey okay`,
	"de": `heute morgen gestern gut gute guten neue neuen neues neuer jahr jahre tag tage leute arbeit leben welt zeit liebe danke bitte
		gibt geht macht machen gerade endlich leider vielleicht einfach gleich wirklich schön ersten besser euro deutschland deutsche
		wäre hätte bräuchte suchen seit wissen weiß glaube sagt kommt sehen uhr nacht abend mehr`,
	"fr": `aujourd'hui demain hier bon bonne nouveau nouvelle jour jours année ans temps gens travail vie monde merci bonjour salut
		rien quoi deux fois voir dire dit besoin équipe recherche heureux grand petite petit beaucoup vraiment toujours
		peu moins faites soir matin nuit belle mdr ptdr putain ouais oui non`,
	"es": `hoy mañana ayer bueno buena buenos buenas nuevo nueva día dias días año años tiempo gente trabajo vida mundo gracias hola
		quiero quiere bien mal mejor peor gran grande dos tres vez veces ver decir dice favor equipo buscamos feliz siempre
		casa noche tarde jajaja jaja amor partido gobierno hombre mujer sí`,
	"pt": `hoje amanhã ontem bom boa novo nova dia dias ano anos tempo gente trabalho vida mundo obrigado obrigada olá oi
		quero quer bem mal melhor pior grande dois duas vez vezes ver dizer disse equipe equipa feliz sempre gosto fazer fez
		casa noite tarde kkk kkkk kkkkk amor jogo cara mano meninas menina demais coisa saudade aí lá sim né hj vdd mto tbm vamo amei adoro maravilhoso maravilhosa linda lindo sua show`,
	"it": `oggi domani ieri buono buona buongiorno nuovo nuova giorno giorni anno anni tempo gente lavoro vita mondo grazie ciao
		voglio vuoi bene male meglio peggio grande due tre volta volte vedere dire detto squadra cerchiamo felice sempre
		casa notte sera governo scuola italia italiani paese qualche proprio invece prima dopo mentre quindi cioè`,
	"nl": `vandaag morgen gisteren goed goede nieuwe nieuw dag jaar tijd mensen werk werken leven wereld bedankt dank graag leuk mooi
		eerste laatste beter echt gaan gaat komt komen zien weten weet zoeken even helaas team`,
	"sv": `idag imorgon igår bra god nya nytt ny dag år tid människor folk arbete jobb jobbet livet världen tack glad första sista bättre
		söker vet köpa kväll mycket`,
	"da": `dag morgen går god godt nye nyt ny år tid mennesker folk arbejde job livet verden tak glad første sidste bedre søger leder ved
		købe aften kl mig`,
	"no": `dag morgen går god godt nye nytt ny år tid mennesker folk arbeid jobb jobben livet verden takk glad første siste bedre søker ser
		vet kjøpe kveld jobbe`,
	"fi": `tänään huomenna eilen hyvä hyvää uusi uuden uutta uudessa päivä vuosi vuotta aika ihmiset työ työtä elämä maailma kiitos iloinen
		ensimmäinen etsimme haluan tiedän`,
	"pl": `dziś dzisiaj jutro wczoraj dobry dobra dobre nowy nowa nową nowe dzień rok roku lat czas ludzie praca pracę pracy życie świat
		dziękuję dziękujemy dzięki proszę szukamy wiem ktoś kupić`,
	"cs": `dnes zítra včera dobrý dobrá dobré nový nová nové nového den rok roku let čas lidé lidi práce práci život svět děkuji děkujeme
		díky prosím hledáme vím někdo koupit radost`,
	"ro": `astăzi azi mâine ieri bun bună bine nou nouă zi ziua an ani timp oameni muncă viața lume mulțumesc mulțumim salut vreau
		căutăm știe cineva`,
	"hu": `ma holnap tegnap jó jól új nap év idő emberek munka élet világ köszönöm köszönjük kérem szia keresünk tudja valaki
		örülök venni`,
	"tr": `bugün yarın dün iyi güzel yeni gün yıl insan insanlar iş hayat dünya teşekkürler teşekkür ederim lütfen merhaba arıyoruz biliyor
		bilen mutlu ilk işe gelen herkese`,
	"id": `hari besok kemarin baik bagus baru tahun waktu orang kerja pekerjaan hidup dunia terima kasih tolong halo mencari senang
		tahu beli teman`,
	"hi": `desh bhai dost pyaar pyar zindagi sarkar log logo logon din dil baat kaam ghar jeet`,
	"sk": `dnes zajtra včera dobrý dobrá dobré nový nová nové novej deň rok čas ľudia práca prácu práce život svet ďakujem ďakujeme
		vďaka prosím hľadáme niekto kúpiť teším`,
	"hr": `danas sutra jučer dobar dobra dobro novi nova novo novom dan godina godine vrijeme ljudi posao posla raditi život svijet hvala
		molim tražimo kupiti sretan jako`,
	"ca": `avui demà ahir bon bona bones nou nova dia any anys temps gent feina vida món gràcies hola vull volem busquem equip content
		comprar persona`,
	"vi": `hôm nay mai qua ngày năm công việc làm mới tốt vui cảm ơn xin chào mua tìm biết bắt đầu tất cả`,
	"ru": `сегодня завтра вчера хорошо новый новая новой работа работу работе человек люди жизнь год время спасибо ищем знает рад очень`,
	"uk": `сьогодні завтра вчора добре новий нова нову робота роботу роботі людина люди життя рік час дякую дякуємо шукаємо знає хтось радий`,
	"bg": `днес утре вчера добре добър нов нова новата работа човек хора живот година време благодаря благодарим търсим знае някой`,
}

// endings holds, by language, how words end that are not in the lists above.
var endings = map[string]string{
	"en": `ing ings tion ght ness ould n't 's ful ly ed ck ers ee ow oy ew sh th wn lls ys`,
	"de": `ung ungs ungen en er es te ten tes ße lich liche keit heit isch ische schaft ieren iert cht chen tlich tzt eit end ei au eich uch icht ern eln nkt`,
	"fr": `ent ants ante es ant que lle elle nne ure age isme iste ive ives aux ard erte ites eres ères e tion eux euse ique ment eau eaux ais ait aient ez oir ée ées és eurs eur aux oix ette ières ière ouche ie ir`,
	"es": `a o ción ciones dad mente ado ados ada adas ido aba ando iendo ito ita ía ías ué é ó os es ar er eza illo`,
	"pt": `a o ção ções ões ão ãos dade mente inho inha ndo ou eu ei am em ar er os as ês agem eira eiro nça`,
	"it": `o a e i zione zioni tà mente ato ata ati ate are ere ire ando endo etto etta ccio gli zza ismo oni ò ì ù sco tti lla llo cci ssa sso`,
	"nl": `en er heid lijk lijke ij isch tie ing aan een ijn aar eren oor uit eel aat cht ook erd jes tje`,
	"sv": `ning het lig ligt are ade en na ar or an skt ör ig`,
	"da": `ning hed lig ligt ede ene er et sk ør ig else`,
	"no": `ning het lig ene er et te sk ør ig else asjon`,
	"fi": `ssa ssä sta stä lla llä lle ksi nen sti een iin aan ään tta ttä isi iset mme taan ut yt ua`,
	"pl": `ość ści ego ych ymi ów ać ić ść ię ą ę ię ski ska nie wać emy cie cja cji`,
	"cs": `ost ého ých ými ů ím at ět ní ský ská ovat eme ce ku ce í á é ý`,
	"ro": `ție ții ul ului lor ii ești ează ând tă ă esc ile ele iei`,
	"hu": `ság ség ban ben nak nek val vel ból ből ról ről hoz hez tól től ott ett ás és unk ünk ja ok ek ni`,
	"tr": `lar ler dan den yor ım im um ünü ında inde nda mak mek dı di cak cek lık lik yoruz larım sı sı için`,
	"id": `kan an nya lah ng ah lah uh ya`,
	"hi": `aa iya ega enge unga hoon iye iyan`,
}

// alphabets holds, by language, the letters that it writes besides a to z, and
// of Cyrillic those that not all languages have.
var alphabets = map[string]string{
	"de": "ßäöü", "fr": "çœàâêèëîïôûùé", "es": "ñáéíóúü", "pt": "ãõçâêôáéíóúà", "it": "àèìòùé",
	"nl": "ëïé", "sv": "åäöé", "da": "åæøé", "no": "åæøé", "fi": "äö",
	"pl": "ąćęłńśźżó", "cs": "ěščřžýáíéúůďťňó", "sk": "ľĺŕäôšščťžýáíéúďňó", "hr": "čćđšž", "ca": "àçèéíòóúï",
	"ro": "ăâîșțşţ", "hu": "őűáéíóöúü", "tr": "ğışçöüâ",
	"vi": "ăâđêôơưàằầèềìòồờùừỳảẳẩẻểỉỏổởủửỷãẵẫẽễĩõỗỡũữỹáắấéếíóốớúứýạặậẹệịọộợụựỵ",
	"ru": "ыэёъщйюяь", "uk": "іїєґщйюяь", "bg": "ъщйюяь", "sr": "јљњћђџ", "mk": "јљњќѓѕџ",
}
