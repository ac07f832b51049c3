package interpret_test

import "slices"

// understood lists prompts with what they ask for, as a colleague would type
// it: one entry a line, + before a required word, - before an excluded one,
// quotes round what has spaces.
var understood = slices.Concat(understoodFirst, understoodMore, understoodLists)

type asked struct{ prompt, want string }

var understoodFirst = []asked{
	{"Posts about Kubernetes security in Germany, not job ads", `Kubernetes +security +Germany -'job ads' -'job ad' -hiring -vacancy -'job opening'
		Kubernetes +security +Deutschland -'job ads' -'job ad' -hiring -vacancy -'job opening'
		k8s +security +Germany -'job ads' -'job ad' -hiring -vacancy -'job opening'
		k8s +security +Deutschland -'job ads' -'job ad' -hiring -vacancy -'job opening'`},
	{"People hiring for data engineers in Berlin or Munich", `'data engineers' +hiring +Berlin
		'data engineers' +hiring +Munich
		'data engineers' +hiring +München
		'data engineer' +hiring +Berlin
		'data engineer' +hiring +Munich
		'data engineer' +hiring +München`},
	{"Posts by founders looking for a CTO", `CTO +'looking for'
		'chief technology officer' +'looking for'`},
	{"Track conversations about AI agents and large language models", `'AI agents'
		'large language models'
		'AI agent'
		'large language model'
		'agentic AI'
		LLM
		LLMs`},
	{"Find CTOs complaining about cloud costs in the UK", `'cloud costs' +frustrated +UK
		'cloud costs' +frustrated +'United Kingdom'
		'cloud costs' +disappointed +UK
		'cloud cost' +frustrated +UK
		'cloud costs' +disappointed +'United Kingdom'
		'cloud cost' +frustrated +'United Kingdom'
		'cloud costs' +problem +UK
		'cloud cost' +disappointed +UK
		'cloud costs' +problem +'United Kingdom'
		'cloud cost' +disappointed +'United Kingdom'
		'cloud costs' +issues +UK
		'cloud cost' +problem +UK`},
	{"I want to see posts mentioning \"return to office\" except those from recruiters", `'return to office' -recruiters -recruiter`},
	{"Show me people asking for recommendations for a CRM", `CRM +recommendations
		CRM +recommend
		'customer relationship management' +recommendations
		'customer relationship management' +recommend`},
	{"Posts about remote work or hybrid work, excluding crypto and NFTs", `'remote work' -crypto -cryptocurrency -NFTs -NFT
		'hybrid work' -crypto -cryptocurrency -NFTs -NFT
		'remote working' -crypto -cryptocurrency -NFTs -NFT
		'hybrid working' -crypto -cryptocurrency -NFTs -NFT
		'working remotely' -crypto -cryptocurrency -NFTs -NFT
		'work from home' -crypto -cryptocurrency -NFTs -NFT`},
	{"frontend and backend developers looking for work in Poland", `'frontend developers' +'open to work' +Poland
		'backend developers' +'open to work' +Poland
		'frontend developers' +'looking for a new role' +Poland
		'frontend developer' +'open to work' +Poland
		'backend developers' +'looking for a new role' +Poland
		'backend developer' +'open to work' +Poland
		'frontend developers' +'looking for a job' +Poland
		'frontend developer' +'looking for a new role' +Poland
		'front-end developers' +'open to work' +Poland
		'backend developers' +'looking for a job' +Poland
		'backend developer' +'looking for a new role' +Poland
		'back-end developers' +'open to work' +Poland`},
	{"Companies switching from Jira to Linear", `Jira +Linear +switching
		Jira +Linear +switched`},
	{"Track mentions of Acme Corp and its competitors Globex, Initech", `'Acme Corp'
		Globex
		Initech`},
	{"Posts with the hashtag #buildinpublic about SaaS pricing", `#buildinpublic +'SaaS pricing'`},
	{"Startups that raised a Series A in France", `'Series A' +raised +France
		'Series A' +raising +France
		'Series A round' +raised +France
		'Series A round' +raising +France`},
	{"Senior data engineers complaining about dbt, but not consultants", `dbt +frustrated -consultants -consultant
		dbt +disappointed -consultants -consultant
		dbt +problem -consultants -consultant
		dbt +issues -consultants -consultant`},
	{"Posts in German about climate tech without politics", `'climate tech' -politics -political
		climatetech -politics -political
		cleantech -politics -political`},
	{"Posts about both Terraform and Pulumi in production", `Terraform +Pulumi +production`},
	{"Alert me when someone mentions our product or asks about alternatives to Notion", `Notion +alternative
		Notion +alternatives`},
	{"What are marketing leaders saying about the impact of AI on content creation?", `AI +'content creation'
		'artificial intelligence' +'content creation'`},
	{"I run a small accounting firm in Leeds and want to find restaurant owners struggling with bookkeeping", `bookkeeping +struggling
		bookkeeping +struggle`},
	{"Find HR directors discussing employee burnout so that we can offer our wellness program", `'employee burnout'
		'burnout at work'`},
	{"Posts about electric vehicles. Ignore Tesla. Must mention charging.", `'electric vehicles' +charging -Tesla
		'electric vehicle' +charging -Tesla
		EVs +charging -Tesla`},
	{"I'm looking for posts about supply chain visibility in DACH", `'supply chain visibility' +Germany
		'supply chain visibility' +Austria
		'supply chain visibility' +Switzerland`},
	{"Posts about layoffs at Google, Meta or Amazon in the US", `Google +layoffs +'United States'
		Meta +layoffs +'United States'
		Amazon +layoffs +'United States'
		Google +layoffs +USA
		Meta +layoffs +USA
		Amazon +layoffs +USA`},
	{"people who recently started learning Rust, not the game Rust", `Rust +learning -'game Rust'`},
	{"Monitor what customers say about HubSpot, Pipedrive and Zoho, but exclude affiliate marketers", `HubSpot -'affiliate marketers' -'affiliate marketer'
		Pipedrive -'affiliate marketers' -'affiliate marketer'
		Zoho -'affiliate marketers' -'affiliate marketer'`},
	{"Find engineers who use Rust in production at fintech companies", `Rust +production +fintech`},
	{"Recruiters hiring nurses in Texas, not travel nurses", `nurses +hiring +Texas -'travel nurses' -'travel nurse'
		nurse +hiring +Texas -'travel nurses' -'travel nurse'`},
	{"Posts by women in tech about imposter syndrome", `'imposter syndrome'`},
	{"open source maintainers asking for sponsorship", `sponsorship +'looking for'
		sponsorship +recommend`},
	{"Keywords: observability, OpenTelemetry, tracing; not job ads, not webinars", `observability -'job ads' -'job ad' -hiring -vacancy -'job opening' -webinars -webinar
		OpenTelemetry -'job ads' -'job ad' -hiring -vacancy -'job opening' -webinars -webinar
		tracing -'job ads' -'job ad' -hiring -vacancy -'job opening' -webinars -webinar`},
	{"Kubernetes, Terraform and Pulumi news in Europe", `Kubernetes +Europe
		Terraform +Europe
		Pulumi +Europe
		k8s +Europe`},
	{"remote senior Go developer jobs in Germany or Austria without agencies", `'Go developer' +remote +senior +hiring +Germany -agencies -agency
		'Go developer' +remote +senior +hiring +Austria -agencies -agency
		'Go developer' +remote +senior +hiring +Deutschland -agencies -agency
		'Go developer' +remote +senior +hiring +Österreich -agencies -agency
		'Go developer' +remote +senior +job +Germany -agencies -agency
		'Go developer' +remote +senior +job +Austria -agencies -agency
		'Go developers' +remote +senior +hiring +Germany -agencies -agency
		'Go developers' +remote +senior +hiring +Austria -agencies -agency
		'Go developer' +remote +senior +job +Deutschland -agencies -agency
		'Go developer' +remote +senior +job +Österreich -agencies -agency
		'Go developers' +remote +senior +hiring +Deutschland -agencies -agency
		'Go developers' +remote +senior +hiring +Österreich -agencies -agency`},
	{"Posts about AI in healthcare that must mention regulation", `AI +healthcare +regulation
		'artificial intelligence' +healthcare +regulation`},
	{"founders announcing a seed round in London", `'seed round' +announce +London
		'seed round' +announcing +London
		'seed funding' +announce +London
		'seed round' +announced +London
		'seed funding' +announcing +London
		'seed funding' +announced +London`},
	{"Posts about \"platform engineering\" AND \"golden paths\" by SREs", `'platform engineering' +'golden paths'`},
	{"Posts about AI and education in Africa, but not ChatGPT", `AI +Africa -ChatGPT
		education +Africa -ChatGPT
		'artificial intelligence' +Africa -ChatGPT`},
	{"Posts from people in Germany about heat pumps or solar panels", `'heat pumps' +Germany
		'solar panels' +Germany
		'heat pumps' +Deutschland
		'solar panels' +Deutschland
		'heat pump' +Germany
		'solar panel' +Germany
		'heat pump' +Deutschland
		'solar panel' +Deutschland`},
	{"I want posts about diversity in engineering teams, no recruiters, no agencies, no job posts", `diversity +engineering -recruiters -recruiter -agencies -agency -'job posts' -'job post' -hiring -vacancy -'job opening'`},
	{"Find CEOs of SaaS companies who talk about churn and net revenue retention", `churn
		'net revenue retention'`},
	{"Posts where people share their experience with GitHub Copilot", `'GitHub Copilot'`},
	{"We sell payroll software. Find small business owners asking for help with payroll in Ireland.", `payroll +help +Ireland`},
	{"Track discussions around the EU AI Act, without posts about GDPR", `'EU AI Act' -GDPR`},
	{"posts mentioning \"Acme Cloud\" or \"AcmeCloud\" but not \"Acme Cloudy\"", `'Acme Cloud' -'Acme Cloudy'
		AcmeCloud -'Acme Cloudy'`},
	{"anyone looking for a freelance copywriter or content writer, remote", `copywriter +freelance +'looking for' +remote
		'content writer' +'looking for' +remote
		copywriters +freelance +'looking for' +remote
		'content writers' +'looking for' +remote`},
	{"Companies in Berlin announcing layoffs or hiring freezes", `layoffs +announce +Berlin
		'hiring freezes' +announce +Berlin
		layoffs +announcing +Berlin
		layoff +announce +Berlin
		'hiring freezes' +announcing +Berlin
		'hiring freeze' +announce +Berlin
		layoffs +announced +Berlin
		layoff +announcing +Berlin
		'laid off' +announce +Berlin
		'hiring freezes' +announced +Berlin
		'hiring freeze' +announcing +Berlin
		layoff +announced +Berlin`},
	{"Posts about #remotework and #digitalnomads by freelancers in Portugal or Spain", `#remotework +Portugal
		#remotework +Spain
		#digitalnomads +Portugal
		#digitalnomads +Spain
		#remotework +España
		#digitalnomads +España`},
	{"posts about the four-day work week except in the public sector", `'four-day work week' -'public sector'
		'four-day week' -'public sector'
		'4-day week' -'public sector'`},
	{"Data scientists and ML engineers open to work in London", `'Data scientists' +'open to work' +London
		'ML engineers' +'open to work' +London
		'Data scientist' +'open to work' +London
		'ML engineer' +'open to work' +London`},
	{"Posts about no-code tools like Bubble, Webflow and Airtable", `Bubble
		Webflow
		Airtable`},
	{"Posts about cybersecurity breaches in hospitals, excluding vendors and ads, in English only", `'cybersecurity breaches' +hospitals -vendors -vendor -ads -ad -sponsored -#ad
		'cybersecurity breach' +hospitals -vendors -vendor -ads -ad -sponsored -#ad
		'cyber security breaches' +hospitals -vendors -vendor -ads -ad -sponsored -#ad
		'cyber security breach' +hospitals -vendors -vendor -ads -ad -sponsored -#ad`},
	{"Find people who are looking for a new CRM for dentists, but not resellers", `CRM +dentists +'looking for' -resellers -reseller
		'customer relationship management' +dentists +'looking for' -resellers -reseller`},
	{"Looking for posts by CFOs about AI in accounting - no webinars please", `AI +accounting -webinars -webinar
		'artificial intelligence' +accounting -webinars -webinar`},
	{"junior frontend developers who ask for advice on interviews", `interviews +advice
		interview +advice`},
	{"Everything about cold email, except for agencies selling cold email services", `'cold email' -agencies -agency
		'cold emails' -agencies -agency
		'cold emailing' -agencies -agency`},
	{"marketing managers in the UK talking about attribution, not affiliate marketing, and not job ads", `attribution +UK -'affiliate marketing' -'job ads' -'job ad' -hiring -vacancy -'job opening'
		attribution +'United Kingdom' -'affiliate marketing' -'job ads' -'job ad' -hiring -vacancy -'job opening'`},
	{"posts on how companies measure developer productivity with AI", `'developer productivity' +AI`},
	{"FIND POSTS ABOUT KUBERNETES AND TERRAFORM IN GERMANY", `kubernetes +Germany
		terraform +Germany
		kubernetes +Deutschland
		terraform +Deutschland
		k8s +Germany
		k8s +Deutschland`},
	{"news about quantum computing, and quantum error correction, but nothing about crypto", `'quantum computing' -crypto -cryptocurrency
		'quantum error correction' -crypto -cryptocurrency`},
	{"Posts that contain the words \"burnout\" and \"remote\"", `burnout +remote`},
	{"Posts about Go (the programming language), not Pokemon Go", `Golang -'Pokemon Go'`},
	{"Interested in what nurses in Canada say about staffing shortages", `'staffing shortages' +Canada
		'staffing shortage' +Canada`},
	{"mentions of Stripe together with Adyen", `Stripe +Adyen`},
	{"posts about career changes into tech from teachers", `'career changes'
		'career change'`},
	{"Tell me whenever a VP of Sales posts about hiring SDRs in the US", `SDRs +hiring +'United States'
		SDRs +hiring +USA
		SDR +hiring +'United States'
		SDR +hiring +USA
		'sales development representative' +hiring +'United States'
		'sales development representative' +hiring +USA`},
	{"people asking which project management tool to use instead of Asana", `'project management tool' +recommendations +Asana
		'project management tool' +recommend +Asana`},
}
