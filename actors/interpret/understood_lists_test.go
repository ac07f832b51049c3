package interpret_test

// Lists of names, and what stands once in a list and is meant of all of it.
var understoodLists = []asked{
	{"Posts comparing Cursor, Copilot and Replit Agent", `Cursor
		Copilot
		'Replit Agent'`},
	{"What are developers saying about Cursor, Copilot and Replit Agent?", `Cursor
		Copilot
		'Replit Agent'`},
	{"Mentions of Asana, Trello and Microsoft Planner, no job ads", `Asana -'job ads' -'job ad' -hiring -vacancy -'job opening'
		Trello -'job ads' -'job ad' -hiring -vacancy -'job opening'
		'Microsoft Planner' -'job ads' -'job ad' -hiring -vacancy -'job opening'`},
	{"Track Mailchimp, Klaviyo and Facebook Ads Manager", `Mailchimp
		Klaviyo
		'Facebook Ads Manager'`},
	{"Posts about Dialogflow, Rasa or Watson Assistant in customer support", `Dialogflow
		Rasa
		'Watson Assistant' +'customer support'`},
	{"Frontend, Backend and Fullstack Developer jobs in Berlin", `'Frontend Developer' +hiring +Berlin
		'Backend Developer' +hiring +Berlin
		'Fullstack Developer' +hiring +Berlin
		'Frontend Developer' +job +Berlin
		'Frontend Developers' +hiring +Berlin
		'Backend Developer' +job +Berlin
		'Backend Developers' +hiring +Berlin
		'Fullstack Developer' +job +Berlin
		'Fullstack Developers' +hiring +Berlin
		'Frontend Developers' +job +Berlin
		'front-end Developer' +hiring +Berlin
		'Backend Developers' +job +Berlin`},
	{"Product, Project and Program Managers complaining about Jira", `Jira +frustrated
		Jira +disappointed
		Jira +problem
		Jira +issues`},
	{"Posts about Webflow, Wix and Elementor Builder", `Webflow
		Wix
		'Elementor Builder'`},
	{"Find people unhappy with Zendesk, Intercom or Freshdesk and looking for an alternative", `Zendesk +frustrated
		Intercom +frustrated
		Freshdesk +frustrated
		Zendesk +disappointed
		Intercom +disappointed
		Freshdesk +disappointed
		Zendesk +problem
		Intercom +problem
		Freshdesk +problem
		Zendesk +issues
		Intercom +issues
		Freshdesk +issues`},
	{"Founders talking about ChatGPT, Claude and Gemini Advanced", `ChatGPT
		Claude
		'Gemini Advanced'`},
	{"Posts about LangChain, LlamaIndex and AutoGen agents", `'LangChain agents'
		'LlamaIndex agents'
		'AutoGen agents'
		'LangChain agent'
		'LlamaIndex agent'
		'AutoGen agent'`},
	{"python and go developers looking for a new job", `'python developers' +'looking for a job'
		'go developers' +'looking for a job'
		'python developer' +'looking for a job'
		'go developer' +'looking for a job'`},
	{"Track mentions of Notion, Obsidian and Apple Notes but not templates", `Notion -templates -template
		Obsidian -templates -template
		'Apple Notes' -templates -template`},
	{"Posts about Snowflake, Databricks and BigQuery costs", `Snowflake +costs
		Databricks +costs
		BigQuery +costs`},
	{"Discussions of Stripe, Adyen and Checkout.com fees from e-commerce founders", `Stripe +fees
		Adyen +fees
		Checkout.com +fees`},
	{"Posts about Figma, Sketch and Adobe XD from product designers in London", `Figma +London
		Sketch +London
		'Adobe XD' +London`},
	{"Complaints about Workday, SAP SuccessFactors or Oracle HCM", `Workday +frustrated
		'SAP SuccessFactors' +frustrated
		'Oracle HCM' +frustrated
		Workday +disappointed
		'SAP SuccessFactors' +disappointed
		'Oracle HCM' +disappointed
		Workday +problem
		'SAP SuccessFactors' +problem
		'Oracle HCM' +problem
		Workday +issues
		'SAP SuccessFactors' +issues
		'Oracle HCM' +issues`},
	{"Posts about remote Data Analyst and Data Engineer positions", `'Data Analyst' +remote +hiring
		'Data Engineer' +remote +hiring
		'Data Analyst' +remote +job
		'Data Analysts' +remote +hiring
		'Data Engineer' +remote +job
		'Data Engineers' +remote +hiring
		'Data Analysts' +remote +job
		'Data Engineers' +remote +job`},
	{"Posts about OpenAI Operator, Claude Computer Use and Manus Agent", `OpenAI +Operator
		'Claude Computer Use'
		'Manus Agent'`},
	{"Mentions of Devin, Cursor and Claude Code by engineering managers", `Devin
		Cursor
		'Claude Code'`},
	{"Find posts where people recommend Calendly, SavvyCal or Cal.com", `Calendly +recommend
		SavvyCal +recommend
		Cal.com +recommend`},
	{"Alert me when someone compares HubSpot and Salesforce Marketing Cloud", `HubSpot
		Salesforce +'Marketing Cloud'`},
	{"Show me posts about Grammarly, Jasper and Wordtune Editor", `Grammarly
		Jasper
		'Wordtune Editor'`},
	{"Sales and Marketing Managers in France who talk about lead scoring", `'lead scoring' +France`},
}
