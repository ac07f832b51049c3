package mcp

var asCompany = param{name: "company_title", kind: text, about: "act as this company page, which the member manages"}

var engageTools = []tool{
	{
		name: "like_post", title: "Like a post", does: acts, routes: []string{"POST /api-like"},
		about:  "Like a stored post publicly in a member's name, and wait for it. A second like of the same post does nothing.",
		params: []param{{name: "post_id", kind: text, about: "id of search_posts", required: true}, required(member), asCompany, waitParam},
		run:    func(c *call) (result, error) { return c.runTask("/api-like", c.engagement()) },
	},
	{
		name: "comment_on_post", title: "Comment on a post", does: actsAgain, routes: []string{"POST /api-comment"},
		about: "Comment publicly on a stored post in a member's name, and wait for it. Each call writes a comment.",
		params: []param{{name: "post_id", kind: text, about: "id of search_posts", required: true}, required(member),
			{name: "comment_text", kind: text, about: "at most 1250 characters", required: true}, asCompany, waitParam},
		run: func(c *call) (result, error) { return c.runTask("/api-comment", c.engagement()) },
	},
	{
		name: "send_message", title: "Send a message", does: actsAgain, routes: []string{"POST /network-agent/send-message"},
		about: "Send a direct message to a connection of a member, and wait for it. Each call sends one.",
		params: []param{{name: "recipient_urn", kind: text, about: "URN of the profile; look_up has it", required: true},
			{name: "message", kind: text, about: "at most 10000 characters", required: true}, member, waitParam},
		run: func(c *call) (result, error) {
			return c.runTask("/network-agent/send-message", c.only("recipient_urn", "message", "user_email"))
		},
	},
	{
		name: "invite_person", title: "Invite a person to connect", does: acts,
		routes: []string{"POST /network-agent/send-connection-request"},
		about:  "Ask a person to connect with a member, or withdraw that while it is pending. 100 a week for an account; the same invitation again does nothing.",
		params: []param{{name: "profile_urn", kind: text, about: "URN or bare id", required: true}, {name: "note", kind: text, about: "at most 300 characters"},
			{name: "withdraw", kind: flag}, member, waitParam},
		run: func(c *call) (result, error) {
			if c.flag("withdraw") {
				return c.runTask("/network-agent/withdraw-invitation", c.only("profile_urn", "user_email"))
			}
			return c.runTask("/network-agent/send-connection-request", c.only("profile_urn", "note", "user_email"))
		},
	},
}

func required(p param) param {
	p.required = true
	return p
}

// engagement makes the body of a like or comment.
func (c *call) engagement() map[string]any {
	body := c.only("post_id", "user_email", "comment_text", "company_title")
	if c.given("company_title") {
		body["actor_type"] = "company"
	}
	return body
}
