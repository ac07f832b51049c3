package interpret

import "strings"

// role of words that steer: what comes after them.
type steer uint8

const (
	none     steer = iota
	about          // what is looked for
	literal        // what posts are to have word for word
	without        // what they must not have
	demand         // what they must have as well
	by             // who writes them
	purpose        // what it is all for, to the end of the sentence
	myself         // who asks: to the end of the clause
	naming         // labels
	wanting        // a wish begins anew: and I want to find
	intent         // what the writer of a post is up to
	also           // as well as, together with: both must occur
	either         // or
	both           // both … and
	idle           // words that only look like steering
	answered       // what follows is about answers or time: passed over
)

// steering lists the words that steer. An underscore is a space.
var steering = map[steer]string{
	about: `about talking_about talk_about talks_about talked_about speaking_about speak_about writing_about write_about writes_about post_about posting_about posts_about
		posted_about discussing discuss discusses discussed debating regarding concerning related_to relating_to on_the_topic_of on_the_subject_of
		in_the_field_of in_the_area_of in_the_space_of focused_on focusing_on focussed_on focussing_on covering on on_how_to about_how_to dealing_with
		around sharing_about sharing share_about say_about saying_about says_about think_about thinking_about asking_about ask_about asks_about
		wondering_about with_questions_about questions_about interested_in opinions_on using who_use that_use who_uses who_are_using adopting evaluating
		considering working_with working_on who_work_with experimenting_with experience_with exploring featuring such_as e.g. eg like including
		for_example namely specifically_about especially_about anything_about everything_about something_about in_relation_to with_regard_to when_it_comes_to
		reviewing explaining teaching describing reporting_on commenting_on asking_how_to asking_how ask_how_to asking_whether comparing compares compare who_compare who_compares with_experience_in who_work_in working_in when_someone_mentions
		who_care_about passionate_about worried_about concerned_about excited_about skeptical_about curious_about with_the_topic talking_on
		mention_of mentions_of mentioned_of news_about questions_on insights_on insights_into thoughts_on tips_on advice_on news_on help_with`,
	literal: `mentioning mention mentions mentioned that_mention who_mention which_mention containing contain contains that_contain with_the_word with_the_words
		with_the_phrase with_the_phrases with_the_keyword with_the_keywords with_the_term with_the_terms with_the_hashtag with_the_hashtags that_include which_include
		that_say who_say saying that_use_the_hashtag using_the_hashtag using_the_hashtags tagged_with tagged hashtagged use_the_word use_the_words using_the_word
		using_the_words using_the_phrase using_the_term featuring_the_word citing quoting linking_to that_link_to which_link_to link_to keywords keyword hashtags`,
	without: `not no without except except_for except_from excluding exclude excludes ignore ignoring skip skipping avoid avoiding but_not but_no other_than
		apart_from aside_from leave_out leaving_out filter_out filtering_out nothing_about don't_include do_not_include don't_want do_not_want don't_show
		do_not_show omit omitting never that_aren't that_are_not who_aren't who_are_not which_are_not isn't is_not aren't are_not don't_need do_not_need
		rather_than instead_of not_including not_about nor with_no and_not and_no or_no excluded minus drop remove hide block cut_out
		that_do_not_mention that_don't_mention who_don't_mention not_mentioning don't_mention do_not_mention must_not_mention must_not_contain
		should_not_mention should_not_contain that_do_not_contain that_don't_contain do_not_contain don't_contain not_containing doesn't_mention
		not_interested_in no_interest_in uninterested_in unless unless_they_mention discard excepting barring save_for not_counting leaving_aside
		don't_care_about do_not_care_about do_not_want_to_see don't_want_to_see don't_want_any do_not_want_any with_the_exception_of no_posts_about without_any
		but_without and_without but_exclude and_exclude but_skip and_skip but_ignore and_ignore and_avoid but_avoid but_excluding but_except stay_away_from`,
	demand: `must_mention must_include must_contain must_have must_also_mention must_also_contain must_also_include has_to_mention have_to_mention has_to_include
		has_to_contain have_to_contain have_to_include should_mention should_also_mention should_include should_contain that_also_mention and_also_mention
		which_also_mention who_also_mention also_mention also_mentions also_mentioning also_containing also_contain needs_to_mention need_to_mention need_to_contain
		only_if_they_mention only_if_it_mentions only_if_they_contain only_if_they_include only_when_they_mention as_long_as_they_mention
		provided_they_mention only_those_mentioning only_posts_mentioning only_posts_with only_with in_combination_with combined_with in_connection_with
		in_the_context_of in_conjunction_with where_they_mention required requiring that_also_contain while_mentioning while_also_mentioning
		that_must_mention that_must_contain that_must_include which_must_mention`,
	by: `by written_by posted_by authored_by shared_by published_by coming_from created_by from posts_of posts_by said_by`,
	purpose: `so_that so_i so_we because in_order_to to_help_me to_help_us to_help_our so_our so_my my_goal_is our_goal_is the_goal_is my_aim_is our_aim_is
		to_find_leads to_generate_leads to_get_leads for_lead_generation for_lead_gen for_sales_outreach for_outreach for_prospecting to_sell to_reach_out
		as_potential_customers as_potential_clients as_potential_leads as_leads as_prospects to_inform to_understand to_learn to_offer to_pitch to_contact
		to_connect_with to_engage_with to_stay to_keep_up to_spot to_identify to_improve_our to_see_how to_see_what the_purpose_is for_our_newsletter for_my_newsletter
		for_market_research for_competitive_intelligence for_competitor_research for_inspiration for_content_inspiration since_we since_i as_we as_i
		whom_i_can whom_we_can that_i_can that_we_can that_i_could that_we_could who_could_be who_could_become who_might who_may we_can i_can for_my_team for_our_team for_my_company
		for_my_boss for_my_clients for_our_clients for_our_sales_team to_win to_recruit`,
	myself: `i_sell we_sell i_am_a i_am_an i'm_a i'm_an we_are_a we_are_an we're_a we're_an i_run we_run i_work we_work my_company our_company our_startup my_startup
		we_offer i_offer we_provide i_provide we_build i_build we_make i_make as_a_founder as_a_recruiter as_a_freelancer as_a_consultant as_an_agency as_a_company as_an_investor
		we_help i_help i_own we_own my_team our_team i_lead we_have i_have our_product_is my_product_is our_product my_product i_recruit we_recruit`,
	naming: `label_them label_them_as label_as labelled_as labeled_as label_posts_as label_the_posts_as label_these label_these_as labels tag_them tag_them_as tag_them_with
		tag_as tag_the_posts tag_posts_as tag_posts classify_them_as classify_them_into classify_as classify_into classify_posts_into classify_posts_as classify_the_posts_as classify_the_posts_into
		categorize_them_as categorise_them_as categorize_them_into categorise_them_into categorize_into categorise_into group_them_into group_into
		sort_them_into sort_into label_posts label_the_posts_with label_them_with label_posts_with split_them_into with_labels with_the_labels use_the_labels`,
	wanting: `want_to_find want_to_see want_to_track want_to_follow want_to_monitor want_to_know i_want we_want i_need we_need i'd_like we'd_like would_like
		looking_for_posts looking_for_people looking_for_anyone looking_for_conversations looking_for_discussions i'm_looking_for i_am_looking_for we're_looking_for we_are_looking_for
		find_me show_me find_posts find_people track_posts give_me i'm_interested_in we're_interested_in i_am_interested_in we_are_interested_in am_interested_in are_interested_in
		trying_to_find keep_an_eye_on keep_track_of keep_me_posted_on keep_me_updated_on keep_me_posted_about keep_me_updated_about keep_me_up_to_date_on
		keep_up_with stay_on_top_of on_the_lookout_for be_on_the_lookout_for notify_me_when notify_me_about alert_me_when alert_me_about alert_me_to tell_me_when
		tell_me_about let_me_know_when let_me_know_about let_us_know_when pay_attention_to on_our_radar on_my_radar`,
	also:   `together_with along_with as_well_as in_the_same_post_as alongside because_of due_to`,
	either: `or and/or alternatively`,
	both:   `both`,
	idle: `not_only but_also not_just why_not not_sure not_limited_to but_not_limited_to including_but_not_limited_to if_not whether_or_not no_longer
		no-code no_code hands_on based_on carry_on depend_on depends_on depending_on rely_on relying_on focus_on from_home from_scratch by_hand
		drop_shipping no_matter not_for_profit not-for-profit no_show no_shows day_by_day side_by_side step_by_step one_on_one one-on-one by_the_way
		on_call on-call on_premise on_premises on-prem on_demand add_on add_ons sign_on hackers_on on_site on-site must_have_been like_minded
		followed_by inspired_by powered_by driven_by go_to_market from_the_start no_one none ad_block don't_know do_not_know don't_miss do_not_miss do_not_stop
		cannot don't_have do_not_have don't_like do_not_like block_chain no_brainer no-brainer hide_and_seek no_time on_time drop_in skip_level skip-level
		on_the_network on_social_media on_the_internet on_the_web on_the_platform on_the_site on_the_feed on_forums on_the_forum on_reddit
		like_this like_these likes like_that like_us
		and_i and_we`,
	answered: `in_the_last in_the_past over_the_last over_the_past within_the_last during_the_last from_the_last from_the_past since_last as_soon_as
		every_day every_week every_morning each_day each_week once_a_day once_a_week in_the_title in_the_headline in_the_text in_the_post in_their_posts in_the_body once_per_day twice_a_day on_a_daily_basis on_a_weekly_basis`,
}

// mark is what a phrase steers to.
type mark struct {
	steer  steer
	intent *intention
}

// maxMark is the most words of a phrase that steers.
const maxMark = 8

// marks finds phrases that steer by their words.
var marks = func() map[string]mark {
	table := make(map[string]mark)
	for s, list := range steering {
		for phrase := range strings.FieldsSeq(list) {
			table[strings.ReplaceAll(phrase, "_", " ")] = mark{steer: s}
		}
	}
	for i := range intentions {
		for phrase := range strings.FieldsSeq(intentions[i].phrases) {
			table[strings.ReplaceAll(phrase, "_", " ")] = mark{intent, &intentions[i]}
		}
	}
	return table
}()

// markAt returns what the tokens begin with steers to, and its tokens.
func markAt(tokens []token) (mark, int) {
	n := 0
	for n < len(tokens) && n < maxMark && tokens[n].kind == word {
		n++
	}
	for ; n > 0; n-- {
		if m, ok := marks[norms(tokens[:n])]; ok {
			return m, n
		}
	}
	return mark{}, 0
}
