package interpret_test

var understoodMore = []asked{
	{"posts by recruiters hiring for product manager roles in Amsterdam, senior level, not contract", `'product manager' +hiring +senior +Amsterdam -contract
		'product managers' +hiring +senior +Amsterdam -contract`},
	{"I'd like to follow conversations among CISOs on ransomware, but skip vendors' marketing", `ransomware -'vendors marketing'`},
	{"Find posts from procurement managers in the Netherlands about supplier risk, not logistics", `'supplier risk' +Netherlands -logistics
		'supplier risk' +Holland -logistics`},
	{"Track any mention of \"Model Context Protocol\" or MCP servers", `'Model Context Protocol'
		'MCP servers'
		'MCP server'`},
	{"Posts about burnout among nurses and doctors in the UK", `burnout +nurses +UK
		burnout +doctors +UK
		burnout +nurses +'United Kingdom'
		burnout +doctors +'United Kingdom'`},
	{"posts that mention both \"Stripe\" and \"fraud\" but not \"hiring\"", `Stripe +fraud -hiring`},
	{"Product managers asking about roadmapping tools such as Productboard or Aha", `Productboard
		Aha`},
	{"Show me startups in Berlin hiring senior product designers, not agencies", `'product designers' +senior +hiring +Berlin -agencies -agency
		'product designer' +senior +hiring +Berlin -agencies -agency`},
	{"Discussions on the housing crisis in Ireland, no politicians", `'housing crisis' +Ireland -politicians -politician`},
	{"What do teachers think about ChatGPT in classrooms?", `ChatGPT +classrooms`},
	{"Find Series A founders looking for a fractional CFO in New York", `'fractional CFO' +'looking for' +'New York'
		'fractional CFO' +'looking for' +NYC`},
	{"freelance developers complaining about late payments, excluding Upwork", `'late payments' +frustrated -Upwork
		'late payments' +disappointed -Upwork
		'late payment' +frustrated -Upwork
		'late payments' +problem -Upwork
		'late payment' +disappointed -Upwork
		'late payments' +issues -Upwork
		'late payment' +problem -Upwork
		'late payment' +issues -Upwork`},
	{"Keep an eye on posts about carbon accounting software and CSRD reporting in Europe", `'carbon accounting software' +Europe
		'CSRD reporting' +Europe`},
	{"Posts about hydrogen, ammonia or e-fuels in shipping", `hydrogen
		ammonia
		e-fuels +shipping
		e-fuel +shipping`},
	{"Alert me about data breaches at banks except JPMorgan", `'data breaches' +banks -JPMorgan
		'data breach' +banks -JPMorgan`},
	{"Find people asking for a recommendation for a good accountant in Manchester", `accountant +recommendations +Manchester
		accountant +recommend +Manchester
		accountants +recommendations +Manchester
		accountants +recommend +Manchester`},
	{"Companies moving away from VMware because of Broadcom", `VMware +Broadcom +moving
		VMware +Broadcom +moved`},
	{"Posts by CMOs or marketing directors about brand measurement, in French", `'brand measurement'`},
	{"We build an ATS for hospitals and I need posts by HR managers struggling with nurse recruitment", `'nurse recruitment' +struggling
		'nurse recruitment' +struggle`},
	{"Posts about accessibility in web design, WCAG and screen readers", `accessibility +'web design'
		WCAG
		'screen readers'
		'screen reader'`},
	{"Looking for anyone talking about migrating from Heroku to Fly.io", `Fly.io +Heroku +migrating
		Fly.io +Heroku +migration
		Fly.io +Heroku +migrated`},
	{"Recommendations for email marketing tools that are not Mailchimp", `'email marketing tools' +recommendations -Mailchimp
		'email marketing tools' +recommend -Mailchimp
		'email marketing tool' +recommendations -Mailchimp
		'email marketing tool' +recommend -Mailchimp`},
	{"Track \"open source\" AND licensing discussions, not Linux", `'open source' +licensing -Linux`},
	{"Interested in remote customer success manager roles in Spain or Portugal", `'customer success manager' +remote +hiring +Spain
		'customer success manager' +remote +hiring +Portugal
		'customer success manager' +remote +hiring +España
		'customer success manager' +remote +job +Spain
		'customer success manager' +remote +job +Portugal
		'customer success managers' +remote +hiring +Spain
		'customer success managers' +remote +hiring +Portugal
		'customer success manager' +remote +job +España
		'customer success managers' +remote +hiring +España
		'customer success managers' +remote +job +Spain
		'customer success managers' +remote +job +Portugal
		'customer success managers' +remote +job +España`},
	{"Find posts on GDPR fines, data protection and privacy law, but not cookie banners", `GDPR +fines -'cookie banners' -'cookie banner'
		'data protection' -'cookie banners' -'cookie banner'
		'privacy law' -'cookie banners' -'cookie banner'`},
	{"Posts from electricians and plumbers about apprenticeships in Australia", `apprenticeships +Australia
		apprenticeship +Australia`},
	{"LLM evaluation and hallucinations in production, without beginner tutorials", `'LLM evaluation' -'beginner tutorials' -'beginner tutorial'
		hallucinations +production -'beginner tutorials' -'beginner tutorial'
		hallucination +production -'beginner tutorials' -'beginner tutorial'`},
	{"Monitor Acme, Globex and \"Initech Cloud\" in the United States, ignoring stock prices", `Acme +'United States' -'stock prices' -'stock price'
		Globex +'United States' -'stock prices' -'stock price'
		'Initech Cloud' +'United States' -'stock prices' -'stock price'
		Acme +USA -'stock prices' -'stock price'
		Globex +USA -'stock prices' -'stock price'
		'Initech Cloud' +USA -'stock prices' -'stock price'`},
	{"posts about solar panels near Ouagadougou by installers", `'solar panels' +Ouagadougou
		'solar panel' +Ouagadougou`},
	{"HR people discussing four-day week trials outside the UK", `'four-day week trials' -UK -'United Kingdom'
		'four-day week trial' -UK -'United Kingdom'`},
	{"Posts about pricing psychology for B2B SaaS, must include examples", `'B2B SaaS' +'pricing psychology'`},
	{"C-level executives talking about succession planning in family businesses", `'succession planning' +family`},
	{"Posts complaining about Deutsche Bahn delays, not about strikes", `'Deutsche Bahn' +delays +frustrated -strikes -strike
		'Deutsche Bahn' +delays +disappointed -strikes -strike
		'Deutsche Bahn' +delays +problem -strikes -strike
		'Deutsche Bahn' +delays +issues -strikes -strike`},
	{"Track posts about electric trucks, for our newsletter on fleet management", `'electric trucks'
		'electric truck'`},
	{"Find posts by people leaving consulting for startups in London", `consulting +leaving +London`},
	{"Posts mentioning k8s cost, FinOps or cloud waste", `k8s +cost
		FinOps
		'cloud waste'
		Kubernetes +cost`},
	{"engineers who switched from Python to Go and regret it", `Python +Go +switching
		Python +Go +switched`},
	{"Posts about AI replacing junior lawyers, not only in the US", `AI +'junior lawyers'
		'artificial intelligence' +'junior lawyers'`},
	{"Posts about interest rates and mortgages in Canada since January", `'interest rates' +Canada
		mortgages +Canada
		'interest rate' +Canada
		mortgage +Canada`},
	{"People in the Netherlands who are hiring backend engineers, excluding recruiters and staffing agencies", `'backend engineers' +hiring +Netherlands -recruiters -recruiter -'staffing agencies' -'staffing agency'
		'backend engineers' +hiring +Holland -recruiters -recruiter -'staffing agencies' -'staffing agency'
		'backend engineer' +hiring +Netherlands -recruiters -recruiter -'staffing agencies' -'staffing agency'
		'backend engineer' +hiring +Holland -recruiters -recruiter -'staffing agencies' -'staffing agency'
		'back-end engineers' +hiring +Netherlands -recruiters -recruiter -'staffing agencies' -'staffing agency'
		'back-end engineers' +hiring +Holland -recruiters -recruiter -'staffing agencies' -'staffing agency'
		'back-end engineer' +hiring +Netherlands -recruiters -recruiter -'staffing agencies' -'staffing agency'
		'back-end engineer' +hiring +Holland -recruiters -recruiter -'staffing agencies' -'staffing agency'
		'back end engineers' +hiring +Netherlands -recruiters -recruiter -'staffing agencies' -'staffing agency'
		'back end engineers' +hiring +Holland -recruiters -recruiter -'staffing agencies' -'staffing agency'
		'back end engineer' +hiring +Netherlands -recruiters -recruiter -'staffing agencies' -'staffing agency'
		'back end engineer' +hiring +Holland -recruiters -recruiter -'staffing agencies' -'staffing agency'`},
	{"I want to monitor posts where founders talk about fundraising but not crypto", `fundraising -crypto -cryptocurrency
		'raising funds' -crypto -cryptocurrency`},
	{"Find posts mentioning \"vector database\" or pgvector, not sponsored posts", `'vector database' -'sponsored posts' -'sponsored post' -sponsored
		pgvector -'sponsored posts' -'sponsored post' -sponsored`},
	{"Heads of marketing asking for agency recommendations in Paris", `agency +recommendations +Paris
		agency +recommend +Paris`},
	{"Posts about data privacy from lawyers in the EU, without GDPR consultants", `'data privacy' +EU -'GDPR consultants' -'GDPR consultant'
		'data privacy' +'European Union' -'GDPR consultants' -'GDPR consultant'`},
	{"Hiring managers in Toronto looking for junior data analysts", `'data analysts' +junior +'looking for' +Toronto
		'data analyst' +junior +'looking for' +Toronto`},
	{"Track what people say about Tesla's Full Self-Driving in California", `'Tesla Full Self-Driving' +California`},
	{"Software engineers discussing burnout and layoffs in San Francisco", `burnout +'San Francisco'
		layoffs +'San Francisco'
		layoff +'San Francisco'
		'laid off' +'San Francisco'
		'job cuts' +'San Francisco'`},
	{"Show me posts about ESG reporting or sustainability reporting by CFOs in Europe", `'ESG reporting' +Europe
		'sustainability reporting' +Europe`},
	{"Posts from startup founders seeking investors in Singapore, no crypto projects", `investors +seeking +Singapore -'crypto projects' -'crypto project'
		investor +seeking +Singapore -'crypto projects' -'crypto project'`},
	{"Companies looking for an SEO agency in Australia", `'SEO agency' +'looking for' +Australia`},
	{"Posts on women's health startups raising a Series A or Series B", `'Series A' +raised
		'Series B' +raised
		'Series A' +raising
		'Series A round' +raised
		'Series B' +raising
		'Series A round' +raising`},
	{"Anyone who needs help with Webflow development, but not job seekers", `Webflow +development +help -'job seekers' -'job seeker' -'open to work'`},
	{"Teachers in England complaining about Ofsted inspections", `Ofsted +inspections +frustrated +England
		Ofsted +inspections +disappointed +England
		Ofsted +inspections +problem +England
		Ofsted +inspections +issues +England`},
	{"Let me know when somebody posts about the Cyber Resilience Act", `'Cyber Resilience Act'`},
	{"Find VPs of Engineering talking about platform teams or developer experience", `'platform teams'
		'developer experience'
		'platform team'
		DevEx`},
	{"Posts about \"quiet quitting\" or \"quiet firing\" except from HR influencers", `'quiet quitting' -'HR influencers' -'HR influencer'
		'quiet firing' -'HR influencers' -'HR influencer'`},
	{"Warehouse managers in Poland frustrated with their WMS", `WMS +frustrated +Poland
		WMS +frustrating +Poland`},
	{"I'm a recruiter looking for senior Java developers open to work in Madrid", `'Java developers' +senior +'open to work' +Madrid
		'Java developer' +senior +'open to work' +Madrid`},
	{"Conversations about electric car charging in Norway and Sweden, not Tesla", `'electric car charging' +Norway -Tesla
		'electric car charging' +Sweden -Tesla`},
	{"Posts that talk about Kubernetes but don't mention Docker", `Kubernetes -Docker
		k8s -Docker`},
	{"find me people who use Notion for project management and are unhappy with it", `Notion +'project management' +frustrated
		Notion +'project management' +disappointed
		Notion +'project management' +problem
		Notion +'project management' +issues`},
	{"Posts about heat pump installation costs in the UK but exclude Scotland", `'heat pump installation costs' +UK -Scotland
		'heat pump installation costs' +'United Kingdom' -Scotland
		'heat pump installation cost' +UK -Scotland
		'heat pump installation cost' +'United Kingdom' -Scotland`},
	{"CEOs or founders of fintech companies posting about embedded finance", `'embedded finance'`},
	{"Please track the keywords \"digital twin\", \"predictive maintenance\" and \"industry 4.0\"", `'digital twin'
		'predictive maintenance'
		'industry 4.0'`},
	{"posts asking for a good dentist in Lisbon or Porto", `dentist +'looking for' +Lisbon
		dentist +'looking for' +Porto
		dentist +'looking for' +Lisboa
		dentist +recommend +Lisbon
		dentist +recommend +Porto
		dentists +'looking for' +Lisbon
		dentists +'looking for' +Porto
		dentist +recommend +Lisboa
		dentists +'looking for' +Lisboa
		dentists +recommend +Lisbon
		dentists +recommend +Porto
		dentists +recommend +Lisboa`},
	{"posts about sales enablement software, e.g. Highspot, Seismic or Showpad", `'sales enablement software'
		Highspot
		Seismic
		Showpad`},
	{"Find posts about AI coding assistants such as Cursor, Copilot and Sourcegraph Cody, but not tutorials", `'AI coding assistants' -tutorials -tutorial
		Cursor -tutorials -tutorial
		Copilot -tutorials -tutorial
		'Sourcegraph Cody' -tutorials -tutorial
		'AI coding assistant' -tutorials -tutorial`},
	{"Nurses and midwives in Ireland talking about pay, excluding agency ads", `pay +Ireland -'agency ads' -'agency ad'`},
	{"Posts by product leaders about roadmaps without mentioning Jira", `roadmaps -Jira
		roadmap -Jira`},
	{"I need posts where CTOs ask for recommendations on observability tools in Europe", `'observability tools' +recommendations +Europe
		'observability tools' +recommend +Europe
		'observability tool' +recommendations +Europe
		'observability tool' +recommend +Europe`},
	{"Senior Rust engineers open to work in Germany or the Netherlands", `'Rust engineers' +senior +'open to work' +Germany
		'Rust engineers' +senior +'open to work' +Netherlands
		'Rust engineers' +senior +'open to work' +Deutschland
		'Rust engineers' +senior +'open to work' +Holland
		'Rust engineer' +senior +'open to work' +Germany
		'Rust engineer' +senior +'open to work' +Netherlands
		'Rust engineer' +senior +'open to work' +Deutschland
		'Rust engineer' +senior +'open to work' +Holland`},
	{"\"site reliability engineer\" jobs in Dublin, no contract roles, no recruiters", `'site reliability engineer' +hiring +Dublin -'contract roles' -'contract role' -recruiters -recruiter
		'site reliability engineer' +job +Dublin -'contract roles' -'contract role' -recruiters -recruiter`},
	{"Posts about hiring data scientists at banks, in Frankfurt or Zurich", `'data scientists' +banks +hiring +Frankfurt
		'data scientists' +banks +hiring +Zurich
		'data scientists' +banks +hiring +Zürich
		'data scientist' +banks +hiring +Frankfurt
		'data scientist' +banks +hiring +Zurich
		'data scientist' +banks +hiring +Zürich`},
	{"Companies announcing a Series B in fintech or insurtech, not crypto", `'Series B' +fintech +announce -crypto -cryptocurrency
		'Series B' +insurtech +announce -crypto -cryptocurrency
		'Series B' +fintech +announcing -crypto -cryptocurrency
		'Series B' +insurtech +announcing -crypto -cryptocurrency
		'Series B' +fintech +announced -crypto -cryptocurrency
		'Series B' +insurtech +announced -crypto -cryptocurrency`},
	{"posts on electric buses AND batteries in Sweden", `'electric buses' +batteries +Sweden
		'electric bus' +batteries +Sweden`},
	{"People who are switching from HubSpot to Salesforce", `HubSpot +Salesforce +switching
		HubSpot +Salesforce +switched`},
	{"Track #opentowork posts by UX designers in Berlin", `#opentowork +Berlin`},
	{"HR managers looking for an applicant tracking system, except in the US", `'applicant tracking system' +'looking for' -'United States' -USA
		ATS +'looking for' -'United States' -USA`},
	{"Posts about remote work, written in English, that must mention productivity", `'remote work' +productivity
		'remote working' +productivity
		'working remotely' +productivity
		'work from home' +productivity`},
	{"Founders asking for advice on pricing, but without SaaS agencies", `pricing +advice -'SaaS agencies' -'SaaS agency'`},
}
