package endpoint

import (
	"strings"
	"unicode"

	"watchpost/watchpost"
)

// Texts about people that several rooms say.
const (
	TextInvalidMail     = "Missing or invalid 'email'"
	TextInvalidFullName = "Invalid 'full_name'"
	TextEmailTaken      = "Email already belongs to a team"
	TextMembersQuota    = "Your plan includes up to 5 team members."
	TextUserNotFound    = "User not found"
	TextTeamNotFound    = "Team not found"
)

// ReadEmail reads an email as people are known by.
func ReadEmail(email string) (string, error) {
	email, ok := watchpost.NormalizeEmail(email)
	if !ok {
		return "", watchpost.Errorf(watchpost.Invalid, TextInvalidMail)
	}
	return email, nil
}

// ReadFullName reads a person's name, which may be left out; it is bounded like
// the name of a team.
func ReadFullName(s string) (string, error) {
	name, err := ReadName(s)
	if err != nil {
		return "", watchpost.Errorf(watchpost.Invalid, TextInvalidFullName)
	}
	return name, nil
}

// ReadName reads a name that may be left out.
func ReadName(s string) (string, error) {
	if IsBlank(s) {
		return "", nil
	}
	return watchpost.CleanName(s)
}

// IsBlank reports whether a text has nothing to see.
func IsBlank(s string) bool { return strings.TrimFunc(s, unicode.IsSpace) == "" }

// ByOperator stands for the email of who invited.
const ByOperator = "operator"
