// Package langcode maps the names of languages to codes of ISO 639, and back.
package langcode

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"watchpost/internal/text"
)

// Undetermined is the code of a text whose language could not be detected.
const Undetermined = "und"

// languages maps the English names that lang accepts to codes.
var languages = map[string]string{
	"afrikaans": "af", "albanian": "sq", "amharic": "am", "arabic": "ar", "armenian": "hy", "azerbaijani": "az",
	"basque": "eu", "belarusian": "be", "bengali": "bn", "bokmål": "no", "bosnian": "hr", "bulgarian": "bg", "burmese": "my",
	"catalan": "ca", "chinese": "zh", "croatian": "hr", "czech": "cs",
	"danish": "da", "dutch": "nl", "english": "en", "esperanto": "eo", "estonian": "et",
	"farsi": "fa", "filipino": "tl", "finnish": "fi", "flemish": "nl", "french": "fr",
	"galician": "gl", "georgian": "ka", "german": "de", "greek": "el", "gujarati": "gu",
	"hausa": "ha", "hebrew": "he", "hindi": "hi", "hungarian": "hu",
	"icelandic": "is", "indonesian": "id", "irish": "ga", "italian": "it",
	"japanese": "ja", "kannada": "kn", "kazakh": "kk", "khmer": "km", "korean": "ko", "kurdish": "ku",
	"lao": "lo", "latin": "la", "latvian": "lv", "lithuanian": "lt", "luxembourgish": "lb",
	"macedonian": "mk", "malay": "id", "malayalam": "ml", "maltese": "mt", "mandarin": "zh", "marathi": "mr", "mongolian": "mn",
	"nepali": "ne", "norwegian": "no", "norwegian bokmål": "no", "norwegian nynorsk": "no", "nynorsk": "no", "pashto": "ps", "persian": "fa", "polish": "pl", "portuguese": "pt", "punjabi": "pa",
	"romanian": "ro", "russian": "ru", "serbian": "sr", "sinhala": "si", "slovak": "sk", "slovenian": "sl", "slovene": "sl",
	"somali": "so", "spanish": "es", "swahili": "sw", "swedish": "sv",
	"tagalog": "tl", "tamil": "ta", "telugu": "te", "thai": "th", "turkish": "tr",
	"ukrainian": "uk", "urdu": "ur", "uzbek": "uz", "vietnamese": "vi", "welsh": "cy", "yoruba": "yo", "zulu": "zu",
	"undetermined": Undetermined, "unknown": Undetermined,
}

// ownNames maps the names of languages in themselves, which lang accepts too, to codes.
var ownNames = map[string]string{
	"afrikaans": "af", "العربية": "ar", "беларуская": "be", "български": "bg", "বাংলা": "bn", "català": "ca", "čeština": "cs", "cymraeg": "cy",
	"dansk": "da", "deutsch": "de", "ελληνικά": "el", "español": "es", "espanol": "es", "castellano": "es", "eesti": "et", "euskara": "eu",
	"فارسی": "fa", "suomi": "fi", "français": "fr", "francais": "fr", "gaeilge": "ga", "galego": "gl", "ગુજરાતી": "gu", "עברית": "he",
	"हिन्दी": "hi", "hrvatski": "hr", "bosanski": "hr", "magyar": "hu", "հայերեն": "hy", "bahasa indonesia": "id", "bahasa melayu": "id",
	"íslenska": "is", "italiano": "it", "日本語": "ja", "ქართული": "ka", "қазақ тілі": "kk", "한국어": "ko", "lietuvių": "lt", "latviešu": "lv",
	"македонски": "mk", "മലയാളം": "ml", "मराठी": "mr", "malti": "mt", "norsk": "no", "nederlands": "nl", "ਪੰਜਾਬੀ": "pa", "polski": "pl",
	"português": "pt", "portugues": "pt", "română": "ro", "romana": "ro", "русский": "ru", "slovenčina": "sk", "slovenščina": "sl", "shqip": "sq",
	"српски": "sr", "srpski": "sr", "svenska": "sv", "kiswahili": "sw", "தமிழ்": "ta", "తెలుగు": "te", "ไทย": "th", "türkçe": "tr", "turkce": "tr",
	"українська": "uk", "اردو": "ur", "tiếng việt": "vi", "中文": "zh", "汉语": "zh", "漢語": "zh", "普通话": "zh",
}

// languageNames maps codes to the English name that is shown: of several, the
// first in the order of the alphabet.
var languageNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for name, code := range languages {
		if known := names[code]; known == "" || name < known {
			names[code] = name
		}
	}
	for code, name := range names {
		names[code] = strings.ToUpper(name[:1]) + name[1:]
	}
	names["fa"], names["hr"], names["id"], names["nl"], names["no"], names["ro"], names["si"], names["sl"], names["tl"], names["zh"], names["es"], names[Undetermined] =
		"Persian", "Croatian", "Indonesian", "Dutch", "Norwegian", "Romanian", "Sinhala", "Slovenian", "Tagalog", "Chinese", "Spanish", "Unknown"
	return names
})

// Name returns the English name of a language; an unknown code is its
// own name.
func Name(code string) string {
	if name := languageNames()[code]; name != "" {
		return name
	}
	return code
}

// Codes returns the codes of the languages with a name, in their order.
func Codes() []string { return slices.Sorted(maps.Keys(languageNames())) }

// codeAliases maps codes to the one that language detection reports: codes of
// the same language, and languages that it does not distinguish (Bosnian, Malay,
// the forms of Norwegian).
var codeAliases = map[string]string{
	"nb": "no", "nn": "no", "nob": "no", "nno": "no", "nor": "no", "bs": "hr", "bos": "hr", "ms": "id", "msa": "id", "may": "id", "zsm": "id",
	"iw": "he", "in": "id", "fil": "tl", "ji": "yi", "mo": "ro", "sh": "sr", "cmn": "zh", "yue": "zh",
}

// Parse parses a language, as the filter lang gives it: a code or a name in any case, English or in
// the language itself, and returns the code. It ignores the region or script of a code (pt-BR,
// zh_Hant). ok is false if s is neither a known name nor has the form of a
// code.
func Parse(s string) (code string, ok bool) {
	s = text.NormalizeName(s)
	if code, ok = languages[s]; ok {
		return code, true
	}
	if code, ok = ownNames[s]; ok {
		return code, true
	}
	if i := strings.IndexAny(s, "-_"); i > 0 {
		s = s[:i]
	}
	if len(s) < 2 || len(s) > 3 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "", false
	}
	if alias, ok := codeAliases[s]; ok {
		return alias, true
	}
	return s, true
}
