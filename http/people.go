package httpapi

import (
	"strings"
	"unicode"

	"watchpost/watchpost"
)

// Texts about people that several rooms say.
const (
	textInvalidMail     = "Missing or invalid 'email'"
	textInvalidFullName = "Invalid 'full_name'"
	textEmailTaken      = "Email already belongs to a team"
	textMembersQuota    = "Your plan includes up to 5 team members."
	textUserNotFound    = "User not found"
	textTeamNotFound    = "Team not found"
)

// mailbox reads an email as people are known by.
func mailbox(email string) (string, error) {
	email, ok := watchpost.NormalizeEmail(email)
	if !ok {
		return "", watchpost.Errorf(watchpost.Invalid, textInvalidMail)
	}
	return email, nil
}

// readFullName reads a person's name, which may be left out; it is bounded like
// the name of a team.
func readFullName(s string) (string, error) {
	name, err := readName(s)
	if err != nil {
		return "", watchpost.Errorf(watchpost.Invalid, textInvalidFullName)
	}
	return name, nil
}

// readName reads a name that may be left out.
func readName(s string) (string, error) {
	if isBlank(s) {
		return "", nil
	}
	return watchpost.CleanName(s)
}

// isBlank reports whether a text has nothing to see.
func isBlank(s string) bool { return strings.TrimFunc(s, unicode.IsSpace) == "" }

// byOperator stands for the email of who invited.
const byOperator = "operator"
