package httpapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	sendOTP   = "/network-agent/auth-send-otp"
	verifyOTP = "/network-agent/auth-verify-otp"
)

func TestOneTimeCodes(t *testing.T) {
	t.Parallel()
	h := build(t)
	sent := h.do("POST", sendOTP, `{"email":" New@Example.com ","full_name":"New Person"}`)
	require.Contains(t, sent.raw, `{"success":true,"email":"new@example.com","nonce":"`)
	code := h.mail.code(t, "new@example.com")
	wrong := "000000"
	if wrong == code {
		wrong = "000001"
	}
	h.do("POST", verifyOTP, `{"email":"new@example.com","otp":"`+wrong+`"}`).fails(401, "Invalid or expired OTP")
	signed := read[fields](h.do("POST", verifyOTP, `{"email":"NEW@example.com","otp":"`+code+`"}`), 200)
	key := signed["api_key"].(string)
	require.Regexp(t, "^wp_[0-9A-Za-z]{32}$", key)
	user, team := signed["user"].(fields), signed["team"].(fields)
	require.Equal(t, "New Person", user["full_name"])
	require.Equal(t, "new@example.com", user["email"])
	require.Equal(t, "New Person's Team", team["name"])
	require.Equal(t, key, team["api_key"])
	require.Equal(t, []string{"api_key", "success", "team", "user"}, sortedKeys(signed))
	require.Equal(t, 200, h.do("GET", watchlists, "", "x-api-key", key).status)
	h.do("POST", verifyOTP, `{"email":"new@example.com","otp":"`+code+`"}`).fails(401, "Invalid or expired OTP")
}

func TestOTPRefusals(t *testing.T) {
	t.Parallel()
	h := build(t)
	for _, body := range []string{`{}`, `{"email":5}`, `{"email":null}`, `{"email":""}`, `{"email":"no"}`, `{"email":"a@b@c"}`, `{"email":"a\r\nb@example.com"}`} {
		h.do("POST", sendOTP, body).fails(400, "Missing or invalid 'email'")
		h.do("POST", verifyOTP, strings.Replace(body, "}", `,"otp":"123456"}`, 1)).status400(t)
	}
	for _, otp := range []string{``, `,"otp":null`, `,"otp":123456`, `,"otp":"12345"`, `,"otp":"1234567"`, `,"otp":"12345a"`, `,"otp":""`} {
		h.do("POST", verifyOTP, `{"email":"a@example.com"`+otp+`}`).fails(400, "Missing or invalid 'otp'")
	}
	h.do("POST", sendOTP, `{"email":"a@example.com","full_name":5}`).fails(400, "Invalid 'full_name'")
	h.do("POST", sendOTP, `[]`).fails(400, badJSON)
}

func (r reply) status400(t testing.TB) {
	t.Helper()
	require.Equal(t, 400, r.status)
}
