package text

// StemmedLanguages returns the codes of the languages with a stemmer.
func StemmedLanguages() []string {
	codes := make([]string, 0, len(stemmers))
	for code := range stemmers {
		codes = append(codes, code)
	}
	return codes
}
