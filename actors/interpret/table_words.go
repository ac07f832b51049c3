package interpret

// function words tell nothing of a subject by themselves.
var function = wordSet(`a an the this that these those it its they them their theirs there here he she his her him i me my mine we us our ours you your
	yours is are was were be been being am do does did doing done have has had having will would can could should shall may might must of to in on at by for from with
	as into onto than then so such if else when whenever while where which who whom whose what why how and or but nor both either neither too
	also just very really much many more most some any all each every few lot lots other others another same own about over under up down out off again
	i'm i'd i'll i've it's that's what's who's there's let's we're we'd we've they're don't doesn't didn't isn't aren't won't can't cannot you're
	between among during before after since until because per via without within across not no only even still already ever yet
	one ones etc e.g. i.e. eg ie`)

// filler are words that a wish is dressed in, and that no subject begins or
// ends with.
var filler = wordSet(`please pls kindly thanks thank hi hello hey new newest latest recent recently fresh current currently good great best better interesting relevant
	useful helpful important real actual actually specific specifically certain various different similar several possible potential
	original genuine honest active actively everyone everybody anyone anybody someone somebody people person folks guys users
	something anything everything nothing stuff thing things somewhere around right now today tonight tomorrow yesterday daily weekly monthly
	always often sometimes usually especially mainly mostly primarily particularly preferably ideally basically simply lately especially
	related regarding concerning popular trending viral hot top high-quality quality well like maybe perhaps exactly whole entire main publicly`)

// postish are words for what is posted, which are no subject.
var postish = wordSet(`post posts posting postings posted conversation conversations discussion discussions thread threads article articles content contents
	story stories news update updates mention mentions message messages comment comments topic topics subject subjects theme themes
	keyword keywords word words term terms phrase phrases hashtag hashtags expression expressions insight insights opinion opinions thought thoughts views
	takes tips ideas experiences lesson lessons learnings example examples question questions information info chatter buzz commentary
	announcement announcements debate debates publication publications piece pieces watchlist`)

// generic are nouns that are no subject when they stand alone.
var generic = wordSet(`post posts posting postings posted conversation conversations discussion discussions thread threads article articles content contents
	story stories news update updates mention mentions message messages comment comments topic topics subject subjects theme themes
	keyword keywords word words term terms phrase phrases hashtag hashtags expression expressions insight insights opinion opinions thought thoughts view views
	take takes tip tips idea ideas experience experiences lesson lessons learning learnings example examples question questions information info
	announcement announcements debate debates commentary buzz chatter feedback publication publications piece pieces
	network networks site sites internet web online media feed feeds watchlist list alert alerts result results
	lead leads prospect prospects customers customer clients client buyers buyer signals signal opportunities opportunity author authors writer writers
	creator creators poster posters member members competitor competitors industry niche field space area kind kinds sort type types ways way matter
	recommendations recommendation advice help work business businesses company companies organization organizations organisation organisations firm firms team teams
	startups startup trends trend product products service services tool tools solution solutions problems problem issues issue someone others interest interests
	market markets brand brands city country region location words stuff value success life world future growth users user software
	technology tech choose choosing pick picking select buy buying purchase connect meet sector sectors context professional professionals expert experts leader leaders influencer influencers conversation job jobs role roles reaction reactions`)

// request are the verbs by which something is asked for.
var request = wordSet(`find finds finding show shows showing track tracks tracking monitor monitors monitoring watch watching follow following alert alerts notify
	notifying tell keep keeping search searching look looking get getting give giving see seeing want wants wanted need needs needed wish hope hoping
	like love interested know collect gather fetch pull bring send list surface spot catch discover discovering identify scan create build make set
	help catching up informed listen read learn hear hearing flag report reporting let go include including cover covering
	mentions mentioning say says saying said talk talks talking speak speaks speaking discuss discusses discussing write writes writing post posts posting
	share shares sharing ask asks asking comment comments commenting think thinks thinking feel feels interest looked`)

// vague are nouns that stand for a subject that only the writer knows, when
// my or our is before them.
var vague = wordSet(`product products service services company business brand brands competitor competitors industry niche market space field topic
	topics customer customers client clients team startup app tool tools website site name platform software solution solutions offering
	area city country region location network audience icp profile domain sector community category`)

// weak are nouns that find too much alone: beside another phrase they are the
// required word, not the keyword.
var weak = wordSet(`software tool tools platform platforms solution solutions app apps service services product products startup startups
	strategy strategies market markets technology technologies tech system systems project projects problem problems challenge challenges issue issues
	benefit benefits cost costs price prices pricing career careers salary salaries job jobs role roles risk risks trend trends growth
	training course courses event events conference conferences tutorial tutorials future change changes success failure failures
	adoption use-case use-cases policy policies law laws regulation regulations study report reports research data digital management
	best_practices practices practice guide guides review reviews comparison comparisons alternative alternatives setup production scale`)

// hollow are nouns that lead to a subject and are none: the impact of AI.
var hollow = wordSet(`impact effect effects influence role use uses usage importance rise lack power state world art value
	topic subject theme idea concept matter question issue area field kind kinds type types sort sorts form forms lots lot plenty variety
	range number list examples example benefits part aspects aspect side sides pros cons implications role roles`)

// breaks are words between two parts of a subject: AI in healthcare, prices
// for diesel. Of is one only after a hollow noun.
var breaks = wordSet(`in on for with to into from at by via using through against between versus vs vs. as when while where that which who whose
	how why what if because during inside among across toward towards within than affecting affect affects impacting impacts changing
	helping helps help improve improves improving reduce reduces reducing measure measures measuring use used build building
	manage manages managing making handling adopt adopting implement implements implementing solve solves solving
	dealing is are was were be being been can could will would should do does did has have had get gets getting about around
	replace replaces replacing transform transforms transforming integrate integrates integrating running apply applied applying
	they their them it its we our us you your i my me`)

// fixed are phrases that stay together although a rule would part them.
var fixed = wordSet(`women_in_tech proof_of_concept go_to_market internet_of_things cost_of_living return_to_office work_from_home state_of_the_art
	future_of_work terms_of_service point_of_sale software_as_a_service infrastructure_as_code platform_as_a_service search_engine_optimization
	search_engine_optimisation diversity_equity_and_inclusion mergers_and_acquisitions research_and_development supply_and_demand
	terms_and_conditions health_and_safety food_and_beverage oil_and_gas learning_and_development sales_and_marketing pros_and_cons
	profit_and_loss build_in_public building_in_public time_to_market time_to_value day_in_the_life ready_to_wear business_to_business
	direct_to_consumer made_in_germany bring_your_own_device total_cost_of_ownership user_acquisition quality_of_life right_to_repair
	freedom_of_speech school_of_thought bill_of_materials source_of_truth separation_of_concerns rest_of_world chief_of_staff
	vice_president_of_sales head_of_sales head_of_marketing head_of_growth head_of_product head_of_people head_of_engineering head_of_operations head_of_hr
	director_of_sales director_of_marketing director_of_engineering vp_of_sales vp_of_engineering vp_of_marketing vp_of_product
	react_native ai_agents ai_agent computer_use google_cloud google_ads google_analytics black_friday cyber_monday product_hunt hacker_news
	stack_overflow hugging_face github_copilot microsoft_teams power_bi apple_watch visual_studio looking_for_work`)

// attributes are nouns for what each name of a list has: Stripe and Adyen fees.
var attributes = wordSet(`cost costs price prices pricing fee fees bill bills billing invoice invoices license licensing outage outages downtime incident incidents
	bug bugs crash crashes breach breaches vulnerability vulnerabilities security performance reliability latency support onboarding integration integrations
	migration migrations layoffs earnings shares stock stocks alternatives review reviews certification certifications pipelines`)

// foreign are function words of other languages: a prompt that has them and
// hardly any English ones is not read by these rules.
var foreign = wordSet(`der die das und oder nicht ein eine einen ist sind fur uber mit ohne aus bei von zum zur auch nur wie suche zeige beitrage
	le les des du une et ou est sont pour sur avec sans dans qui que aux je nous vous cherche publications
	el los las un una y o es son por para con sin sobre en del quien busco publicaciones
	il lo gli uno della delle che per senza nel sono cerco
	os as um uma e sao por sem dos das nos procuro het een van voor zonder niet ik zoek zijn en op over met`)
