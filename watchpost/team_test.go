package watchpost_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestNormalizeEmail(t *testing.T) {
	for in, want := range map[string]string{
		"ada@example.com":                        "ada@example.com",
		"  Ada.Lovelace+x@Example.CO.UK\n":       "ada.lovelace+x@example.co.uk",
		"o'brien@example.com":                    "o'brien@example.com",
		"a@localhost":                            "a@localhost",
		"a@xn--bcher-kva.example":                "a@xn--bcher-kva.example",
		strings.Repeat("a", 64) + "@example.com": strings.Repeat("a", 64) + "@example.com",
	} {
		got, ok := watchpost.NormalizeEmail(in)
		require.True(t, ok, in)
		require.Equal(t, want, got)
	}
	for _, in := range []string{
		"", "a", "@", "a@", "@b.c", "a@b", "a@@b.c", "a@b@c.d", ".a@b.c", "a.@b.c", "a..b@c.d", "a b@c.d", "a@b .c",
		"a@b.c\r\nBcc: x@y.z", "a\n@b.c", "a@b.c,d@e.f", "a@b.c;", "<a@b.c>", "Ada <a@b.c>", `"a b"@c.d`, "a@[127.0.0.1]",
		"a(comment)@b.c", "a@-b.c", "a@b-.c", "a@b..c", "a@.b.c", "a@b.c.", "é@b.c", "a@bücher.example", "a@b.c\x00",
		strings.Repeat("a", 65) + "@b.c", "a@" + strings.Repeat("b", 64) + ".c", "a@" + strings.Repeat("b.", 126) + "cc",
	} {
		got, ok := watchpost.NormalizeEmail(in)
		require.False(t, ok, "%q", in)
		require.Empty(t, got)
	}
}

func FuzzNormalizeEmail(f *testing.F) {
	f.Add(" Ada.Lovelace+x@Example.CO.UK")
	f.Add("a@b.c\r\nBcc: x@y.z") // a header injected into a mail
	f.Add("\u212a@b.c")          // the Kelvin sign, which case-folds to an ASCII k
	f.Fuzz(func(t *testing.T, s string) {
		email, ok := watchpost.NormalizeEmail(s)
		if !ok {
			return
		}
		require.LessOrEqual(t, len(email), watchpost.MaxEmail)
		require.Equal(t, 1, strings.Count(email, "@"))
		require.False(t, strings.ContainsFunc(email, func(r rune) bool { return r <= ' ' || r >= 0x7f }), "%q", email)
		again, ok := watchpost.NormalizeEmail(strings.ToUpper(email))
		require.True(t, ok)
		require.Equal(t, email, again)
	})
}

func TestDefaultTeamName(t *testing.T) {
	require.Equal(t, "Ada Lovelace's Team", watchpost.DefaultTeamName(" Ada  Lovelace ", "ada@example.com"))
	require.Equal(t, "ada's Team", watchpost.DefaultTeamName("", "ada@example.com"))
	long, err := watchpost.CleanName(watchpost.DefaultTeamName(strings.Repeat("é", 500), "ada@example.com"))
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(long, "é's Team"))
}

func TestActingMember(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2030, 1, n, 0, 0, 0, 0, time.UTC) }
	members := []watchpost.Member{
		{ID: "d", Role: watchpost.RoleAdmin, CreatedAt: day(3)},
		{ID: "a", Role: watchpost.RoleMember, CreatedAt: day(1)},
		{ID: "c", Role: watchpost.RoleAdmin, CreatedAt: day(2)},
		{ID: "b", Role: watchpost.RoleAdmin, CreatedAt: day(2)},
	}
	acting, ok := watchpost.ActingMember(members)
	require.True(t, ok)
	require.Equal(t, watchpost.MemberID("b"), acting.ID)

	_, ok = watchpost.ActingMember(members[1:2])
	require.False(t, ok)
	_, ok = watchpost.ActingMember(nil)
	require.False(t, ok)

	watchpost.SortMembers(members)
	require.Equal(t, watchpost.MemberID("a"), members[0].ID)
	require.Equal(t, watchpost.MemberID("d"), members[3].ID)
}

func TestTeamMember(t *testing.T) {
	team := watchpost.Team{Members: []watchpost.Member{{ID: "a", Email: "a@b.c"}, {ID: "d", Email: "d@e.f"}}}
	m, ok := team.Member("d")
	require.True(t, ok)
	require.Equal(t, "d@e.f", m.Email)
	_, ok = team.Member("x")
	require.False(t, ok)
	m, ok = team.MemberByEmail(" A@B.C ")
	require.True(t, ok)
	require.Equal(t, watchpost.MemberID("a"), m.ID)
	for _, email := range []string{"x@y.z", "", "no address"} {
		_, ok = team.MemberByEmail(email)
		require.False(t, ok)
	}
}

func TestParseRole(t *testing.T) {
	for in, want := range map[string]watchpost.Role{"": "member", "Admin": "admin", "member": "member"} {
		got, err := watchpost.ParseRole(in)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := watchpost.ParseRole("owner")
	require.EqualError(t, err, "Invalid 'role'")
}

func TestSecrets(t *testing.T) {
	for _, c := range []struct {
		name     string
		make     func() string
		valid    func(string) bool
		prefix   string
		alphabet string
		length   int
	}{
		{"API key", func() string { return watchpost.NewAPIKey("t") }, watchpost.ValidAPIKey, "wp_" + watchpost.Slot("t"), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 29},
		{"OTP", watchpost.NewOTP, watchpost.ValidOTP, "", "0123456789", 6},
		{"pairing code", watchpost.NewPairingCode, watchpost.ValidPairingCode, "", "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			counts := make(map[rune]int)
			const characters = 60_000
			for range characters / c.length {
				s := c.make()
				require.True(t, c.valid(s), s)
				random, ok := strings.CutPrefix(s, c.prefix)
				require.True(t, ok)
				require.Len(t, random, c.length)
				for _, r := range random {
					counts[r]++
				}
			}
			// Six standard deviations: a fair draw fails this once in millions
			// of runs.
			mean := float64(characters) / float64(len(c.alphabet))
			require.Len(t, counts, len(c.alphabet))
			for _, r := range c.alphabet {
				require.InDelta(t, mean, counts[r], 6*math.Sqrt(mean), string(r))
			}
			for _, bad := range []string{"", c.make()[1:], c.make() + "0", c.make()[:c.length-1] + "é", c.make()[:len(c.make())-1] + " "} {
				require.False(t, c.valid(bad), "%q", bad)
			}
		})
	}
}

func TestNormalizePairingCode(t *testing.T) {
	for in, want := range map[string]string{
		"0123456789":       "0123456789",
		"ab-cd ef\tghjk\n": "ABCDEFGHJK",
		"oO-iI-lL":         "001111",
		"u":                "U", // no code has one
	} {
		require.Equal(t, want, watchpost.NormalizePairingCode(in))
	}
	code := watchpost.NewPairingCode()
	require.Equal(t, code, watchpost.NormalizePairingCode(" "+strings.ToLower(code[:5])+"-"+code[5:]))
}

func TestCleanVoice(t *testing.T) {
	for given, want := range map[string]string{
		"": "", " \r\n\t ": "",
		" Warm, short.\r\nNo exclamation marks. ": "Warm, short.\nNo exclamation marks.",
		"a\x00b\u202ec":                         "abc",
		strings.Repeat("é", watchpost.MaxVoice): strings.Repeat("é", watchpost.MaxVoice),
		strings.Repeat("\r\n", 5000) + "x":      "x",
	} {
		got, err := watchpost.CleanVoice(given)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := watchpost.CleanVoice(strings.Repeat("é", watchpost.MaxVoice+1))
	require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
	require.ErrorContains(t, err, "'voice'")
	require.ErrorContains(t, err, "2000")
}
