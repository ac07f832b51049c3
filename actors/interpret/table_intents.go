package interpret

// intention is what the writers of the posts are up to. Its signals are words
// of which such a post has one beside what it is about; a signal that the
// prompt does not use itself, in any form, is a guess.
type intention struct {
	name    string
	phrases string // an underscore is a space
	signals []string
	// alone are the keywords when nothing else is looked for.
	alone []string
	// person means that the signal speaks of the writers themselves, who are
	// then what is looked for when nothing else is.
	person bool
}

// intentions is the table of intentions.
var intentions = []intention{
	{
		name: "hiring",
		phrases: `hiring hiring_for are_hiring is_hiring who_hire that_hire who_are_hiring that_are_hiring looking_to_hire want_to_hire wants_to_hire
			trying_to_hire planning_to_hire currently_hiring actively_hiring hiring_a hiring_an to_hire need_to_hire recruiting_for recruiting are_recruiting is_recruiting
			who_recruit that_recruit job_openings_for job_ads_for jobs_for open_positions_for vacancies_for open_roles_for hire`,
		signals: []string{"hiring"},
		alone:   []string{"we're hiring", "we are hiring", "is hiring", "#hiring"},
	},
	{
		name: "job search",
		phrases: `looking_for_work looking_for_a_job looking_for_a_new_job looking_for_a_new_role looking_for_new_roles looking_for_jobs looking_for_new_jobs
			looking_for_new_opportunities looking_for_a_new_opportunity open_to_work seeking_work seeking_a_new_role seeking_new_opportunities
			job_hunting searching_for_a_job searching_for_work looking_for_a_new_position looking_for_their_next_role between_jobs`,
		signals: []string{"open to work", "looking for a new role", "looking for a job"},
		alone:   []string{"open to work", "#opentowork", "looking for a new role", "looking for a job"},
		person:  true,
	},
	{
		name: "looking for",
		phrases: `looking_for looks_for look_for looking_to_buy looking_to_find who_look_for that_look_for searching_for search_for in_search_of shopping_for in_the_market_for
			looking_to_outsource on_the_hunt_for who_want that_want wanting who_are_after`,
		signals: []string{"looking for"},
	},
	{name: "needing", phrases: `in_need_of who_need that_need needing who_needs that_needs`, signals: []string{"need", "looking for"}},
	{name: "seeking", phrases: `seeking who_seek that_seek`, signals: []string{"seeking", "looking for"}},
	{
		name: "asking for recommendations",
		phrases: `asking_for_recommendations_for asking_for_recommendations_on asking_for_recommendations_about asking_for_a_recommendation_for asking_for_recommendations
			who_ask_for_recommendations_for looking_for_recommendations_for looking_for_recommendations_on looking_for_recommendations recommendations_for
			asking_for_suggestions_for asking_for_suggestions_on requesting_recommendations_for asking_others_to_recommend asking_which asking_to_recommend
			ask_for_recommendations_for ask_for_recommendations_on asks_for_recommendations_for seeking_recommendations_for seeking_recommendations_on
			asking_for_tool_recommendations_for`,
		signals: []string{"recommendations", "recommend"},
	},
	{
		name: "asking for advice",
		phrases: `asking_for_advice_on asking_for_advice_about asking_for_advice asking_advice_on looking_for_advice_on looking_for_advice_about
			seeking_advice_on ask_for_advice_on ask_for_advice_about asking_for_tips_on asking_for_tips_for looking_for_tips_on in_need_of_advice_on`,
		signals: []string{"advice"},
	},
	{
		name: "asking for help",
		phrases: `asking_for_help_with asking_for_help_on asking_for_help asking_for_support_with looking_for_help_with who_need_help_with needing_help_with
			need_help_with ask_for_help_with in_need_of_help_with that_need_help_with seeking_help_with who_needs_help_with`,
		signals: []string{"help"},
	},
	{name: "asking for", phrases: `asking_for ask_for asks_for`, signals: []string{"looking for", "recommend"}},
	{
		name: "complaining",
		phrases: `complaining_about complain_about complains_about complained_about unhappy_with not_happy_with dissatisfied_with not_satisfied_with criticizing
			criticising complaints_about who_criticize who_dislike ranting_about rant_about venting_about having_a_bad_experience_with
			bad_experiences_with who_don't_like who_do_not_like complaints_on`,
		signals: []string{"frustrated", "disappointed", "problem", "issues"},
	},
	{name: "frustrated", phrases: `frustrated_with frustrated_by frustrated_about frustration_with frustrations_with`, signals: []string{"frustrated", "frustrating"}},
	{name: "struggling", phrases: `struggling_with struggle_with struggles_with struggling_to struggled_with`, signals: []string{"struggling", "struggle"}},
	{name: "tired of", phrases: `tired_of fed_up_with sick_of`, signals: []string{"tired of", "fed up"}},
	{name: "hating", phrases: `who_hate hating hate hates`, signals: []string{"hate"}},
	{name: "disappointed", phrases: `disappointed_with disappointed_by disappointed_in`, signals: []string{"disappointed"}},
	{
		name:    "having problems",
		phrases: `having_problems_with have_problems_with having_trouble_with having_issues_with have_issues_with problems_with issues_with trouble_with having_difficulties_with who_have_problems_with`,
		signals: []string{"problem", "problems", "issues"},
	},
	{
		name: "new job",
		phrases: `announcing_they_got_a_new_job_as starting_a_new_job_as starting_a_new_position_as starting_a_new_role_as who_just_started_as who_started_as
			starting_as who_got_a_new_job_as who_became who_were_promoted_to promoted_to announcing_a_new_role_as announcing_a_new_job_as announcing_a_new_position_as`,
		signals: []string{"new role", "new position", "new job"},
	},
	{name: "announcing", phrases: `announcing who_announce that_announce announcing_a announcing_the announcements_of announcement_of`, signals: []string{"announce", "announcing", "announced"}},
	{name: "launching", phrases: `launching who_launched that_launched who_launch that_launch launching_a who_are_launching`, signals: []string{"launching", "launched", "launch"}},
	{name: "raising", phrases: `raising raised who_raised that_raised have_raised has_raised just_raised who_have_raised who_just_raised that_just_raised who_are_raising that_have_raised closing_a raising_a`, signals: []string{"raised", "raising"}},
	{
		name:    "switching",
		phrases: `switching_from switching_away_from switch_from switched_from who_switched_from who_switch_from switching_to switched_to switch_to`,
		signals: []string{"switching", "switched"},
	},
	{name: "migrating", phrases: `migrating_from migrate_from migrated_from migrating_away_from migrating_to migrated_to migrate_to migration_from`, signals: []string{"migrating", "migration", "migrated"}},
	{name: "moving", phrases: `moving_from moving_away_from moved_from moving_off moved_away_from`, signals: []string{"moving", "moved"}},
	{name: "replacing", phrases: `replacing who_replaced looking_to_replace want_to_replace trying_to_replace`, signals: []string{"replacing", "replace"}},
	{
		name:    "alternatives",
		phrases: `alternatives_to alternative_to alternatives_for looking_for_alternatives_to looking_for_an_alternative_to seeking_alternatives_to asking_for_alternatives_to searching_for_alternatives_to`,
		signals: []string{"alternative", "alternatives"},
	},
	{name: "recommending", phrases: `recommending who_recommend recommend recommends that_recommend`, signals: []string{"recommend"}},
	{name: "learning", phrases: `learning who_learn who_are_learning getting_started_with`, signals: []string{"learning"}},
	{name: "leaving", phrases: `leaving who_left who_are_leaving`, signals: []string{"leaving", "left"}},
}

// opened is the intention of posts that offer a position.
var opened = &intention{name: "job openings", signals: []string{"hiring", "job"}}

// outs are the words by which posts show that they are of a kind that is not
// wanted; those that are not the kind's own name are a guess.
var outs = map[string][]string{
	"job ad": {"hiring", "vacancy", "job opening"}, "job advert": {"hiring", "vacancy", "job opening"}, "job post": {"hiring", "vacancy", "job opening"},
	"job posting": {"hiring", "vacancy", "job opening"}, "job listing": {"hiring", "vacancy", "job opening"}, "job offer": {"hiring", "vacancy", "job opening"},
	"job opening": {"hiring", "vacancy"}, "vacancy": {"hiring"}, "job": {}, "hiring post": {"hiring"}, "hiring": {"we're hiring"},
	"job advertisement": {"hiring", "vacancy", "job opening"}, "job announcement": {"hiring", "vacancy", "job opening"}, "recruitment post": {"hiring"},
	"internship": {}, "intern": {}, "recruiter": {}, "recruitment agency": {}, "staffing agency": {},
	"ad": {"sponsored", "#ad"}, "advertisement": {"sponsored", "#ad"}, "promotion": {"promo", "discount"}, "promotional post": {"promo", "discount"},
	"sponsored post": {"sponsored"}, "sponsored content": {"sponsored"}, "giveaway": {}, "webinar": {}, "course": {},
	"self-promotion": {"promo", "discount"}, "job seeker": {"open to work"}, "politics": {"political"}, "hiring announcement": {"hiring"},
	"event": {"webinar"}, "event promotion": {"webinar"}, "meme": {}, "remote": {}, "remote job": {"remote"}, "freelancer": {"freelance"},
	"student": {}, "beginner": {}, "layoff": {"laid off"},
}
