package httpapi_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// lockOut does what a stranger can to keep others from signing in by an address: it asks
// for codes until none is mailed any more, and tries wrong ones.
func (h *testServer) lockOut(email string, codes ...string) {
	h.t.Helper()
	refused := 0
	for range 4 {
		h.do("POST", sendOTP, `{"email":"`+email+`"}`)
		codes = append(codes, h.mail.code(h.t, email))
		for range 5 {
			if h.do("POST", verifyOTP, fmt.Sprintf(`{"email":%q,"otp":%q}`, email, wrongCode(codes...))).status == 401 {
				refused++
			}
		}
	}
	require.Equal(h.t, 20, refused)
}

// wrongCode returns a code that differs from all given ones.
func wrongCode(codes ...string) string {
	code := "000000"
	for n := 1; slices.Contains(codes, code); n++ {
		code = fmt.Sprintf("%06d", n)
	}
	return code
}

// TestWrongTriesOfOthers: who sends the nonce back with a code signs in, whatever others
// ask for and try; the code works once, and its own wrong tries count.
func TestWrongTriesOfOthers(t *testing.T) {
	t.Parallel()
	h := build(t)
	const email = "ada@example.com"
	asked := read[fields](h.do("POST", sendOTP, `{"email":"`+email+`"}`), 200)
	nonce, code := asked["nonce"].(string), h.mail.code(t, email)
	h.lockOut(email, code)
	verify := func(nonce, code string) reply {
		return h.do("POST", verifyOTP, fmt.Sprintf(`{"email":%q,"otp":%q,"nonce":%q}`, email, code, nonce))
	}
	verify("another", code).fails(401, "Invalid or expired OTP")
	require.Equal(t, 200, verify(nonce, code).status)
	verify(nonce, code).fails(401, "Invalid or expired OTP")

	const bea = "bea@example.com"
	asked = read[fields](h.do("POST", sendOTP, `{"email":"`+bea+`"}`), 200)
	code = h.mail.code(t, bea)
	for range 5 {
		h.do("POST", verifyOTP, fmt.Sprintf(`{"email":%q,"otp":%q,"nonce":%q}`, bea, wrongCode(code), asked["nonce"])).fails(401, "Invalid or expired OTP")
	}
	h.do("POST", verifyOTP, fmt.Sprintf(`{"email":%q,"otp":%q,"nonce":%q}`, bea, code, asked["nonce"])).fails(401, "Invalid or expired OTP")
}

// TestMailsKeptForKnownBrowsers: a browser that has signed in before gets a code although
// strangers have used up the mails of the address, and signs in with it.
func TestMailsKeptForKnownBrowsers(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Known", "growth")
	b := h.browser()
	b.signIn(m.email)
	b.send("/app/sign-out", url.Values{"token": {b.token()}})
	h.lockOut(m.email)
	before := len(h.mail.to(m.email))
	h.browser().send("/app/sign-in", url.Values{"email": {m.email}})
	require.Len(t, h.mail.to(m.email), before, "no mail is left for strangers")
	b.signIn(m.email)
	require.Len(t, h.mail.to(m.email), before+1)
}
