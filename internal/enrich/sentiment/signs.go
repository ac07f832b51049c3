package sentiment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The classes of emoticons.
const (
	glad  = '1'
	sad   = '2'
	other = '3'
)

// Emoji with a mood.
const (
	gladSigns = "😀😁😂🤣😃😄😅😆😉😊😋😎😍😘🥰😗😙😚☺🙂🤗🤩😇🥳😌😛😜😝🤪👍👏🙌🎉🎊❤💕💖💗💓💞💘💙💚💛🧡💜💝✨🌟⭐🔥💪🏆😻🙏👌✌😺😸🎈🌹🌸🌺💐🎁♥💋🤝🚀💯✅🖤🤍💃👑🥇"
	sadSigns  = "😠😡🤬😢😭😞😔😟😕🙁☹😣😖😫😩😤😒🙄😑😐😨😰😱😪😥😓🤢🤮💔👎😾😿🤦💀😷🤒🖕😧😦😯🤔😬❌👿💩🥺☠"
)

// moods maps an emoji to its mood.
var moods = func() map[rune]rune {
	table := make(map[rune]rune)
	for _, r := range gladSigns {
		table[r] = glad
	}
	for _, r := range sadSigns {
		table[r] = sad
	}
	return table
}()

// signs returns the number of glad emoji and emoticons of a text minus that of
// the sad ones.
func signs(text string) (sum int) {
	s := newScanner(text)
	for range maxTokens {
		t, ok := s.next()
		if !ok {
			break
		}
		var class rune
		switch t.kind {
		case emoji:
			class = moods[t.text[0]]
		case emoticon:
			class = t.text[0]
		}
		switch class {
		case glad:
			sum++
		case sad:
			sum--
		}
	}
	return sum
}

// faces are the emoticons without eyes, nose and mouth.
var faces = []struct {
	text  string
	class rune
}{{"</3", sad}, {"<3", glad}, {"^_^", glad}, {"^^", glad}, {"-_-", sad}, {":'(", sad}, {":')", glad}}

// face returns the length in bytes and the class of the emoticon at the start
// of s, 0 if none; prev is the character before it.
func face(s string, prev rune) (size int, class rune) {
	if s[0] >= utf8.RuneSelf {
		return 0, 0
	}
	for _, f := range faces {
		if strings.HasPrefix(s, f.text) {
			return len(f.text), f.class
		}
	}
	crossed := (s[0] == 'x' || s[0] == 'X') && !unicode.IsLetter(prev)
	if s[0] != ':' && s[0] != ';' && s[0] != '=' && !crossed {
		return 0, 0
	}
	i := 1
	if i < len(s) && (s[i] == '-' || s[i] == '^' || s[i] == 'o' && !crossed) {
		i++
	}
	if i >= len(s) {
		return 0, 0
	}
	mouth := s[i]
	class = mouths[mouth]
	after := byte(' ')
	for i++; i < len(s) && s[i] == mouth; i++ {
	}
	if i < len(s) {
		after = s[i]
	}
	letter := mouth >= '0' && mouth <= '9' || mouth >= 'A' && mouth <= 'Z' || mouth >= 'a' && mouth <= 'z'
	switch {
	case class == 0,
		crossed && mouth != 'd' && mouth != 'D',
		letter && (after >= utf8.RuneSelf || unicode.IsLetter(rune(after)) || unicode.IsDigit(rune(after))),
		letter && !crossed && unicode.IsDigit(prev), // 12:30
		mouth == '/' && s[0] != ':',
		mouth == '/' && i > 2 && s[1] == '/': // ://
		return 0, 0
	}
	return i, class
}

// mouths maps a mouth to its mood.
var mouths = [256]rune{
	')': glad, ']': glad, '*': glad, '}': glad, '>': glad, 'D': glad, 'd': glad, 'P': glad, 'p': glad, '3': glad, 'b': glad,
	'(': sad, '[': sad, '/': sad, '\\': sad, '|': sad, '{': sad, '@': sad, '<': sad,
	'S': other, 's': other, 'O': other, '0': other, '$': other,
}
