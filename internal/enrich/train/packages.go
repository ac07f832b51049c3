package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Debian's packages of LibreOffice contain the same manual and menus in many
// languages, under the Mozilla Public License. This code reads them in place
// and unpacks or keeps nothing.

// localeCodes maps names of locales to other language codes; an empty code
// skips the locale.
var localeCodes = map[string]string{"nb": "no", "nn": "", "sr@latin": "", "sr-Latn": "", "en-GB": "", "pt-BR": "pt", "en-US": "en"}

// minParagraph and minWords are the minimum sizes of used texts of the manual
// and the menus.
const (
	minParagraph = 30 // bytes
	minWords     = 3
)

// lines collects the texts of the packages, by language, and the package
// names.
type lines struct {
	by    map[string]map[string]bool
	names []string // package files with their SHA-256
}

// readPackages reads all packages of a folder.
func readPackages(dir string) (*lines, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no packages in %s (%w)", dir, err)
	}
	l := &lines{by: map[string]map[string]bool{}}
	slices.Sort(files)
	for _, file := range files {
		if err := l.readPackage(file); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return l, nil
}

func (l *lines) readPackage(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	l.names = append(l.names, fmt.Sprintf("%x  %s", sha256.Sum256(content), filepath.Base(file)))
	unpack := exec.Command("dpkg-deb", "--fsys-tarfile", file) //nolint:gosec // a file that the caller names
	unpack.Stderr = os.Stderr
	archive, err := unpack.Output()
	if err != nil {
		return fmt.Errorf("dpkg-deb: %w", err)
	}
	for files := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		parts := strings.Split(header.Name, "/")
		switch {
		case path.Ext(header.Name) == ".html" && slices.Contains(parts, "text"):
			page, err := io.ReadAll(files)
			if err != nil {
				return err
			}
			l.addPage(parts[slices.Index(parts, "text")-1], string(page))
		case path.Ext(header.Name) == ".mo" && slices.Contains(parts, "LC_MESSAGES"):
			catalogue, err := io.ReadAll(files)
			if err != nil {
				return err
			}
			if err := l.addCatalogue(parts[slices.Index(parts, "LC_MESSAGES")-1], catalogue); err != nil {
				return fmt.Errorf("%s: %w", header.Name, err)
			}
		}
	}
}

var (
	paragraphs   = regexp.MustCompile(`(?s)<p id="par[^>]*>(.*?)</p>`)
	markup       = regexp.MustCompile(`<[^>]+>`)
	placeholders = regexp.MustCompile(`<[^>]+>|[%$]\S+|_|~|\\n|\{[^}]*\}`)
)

func (l *lines) addPage(locale, page string) {
	for _, p := range paragraphs.FindAllStringSubmatch(page, -1) {
		text := strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(p[1], ""))), " ")
		if len(text) >= minParagraph {
			l.add(locale, text)
		}
	}
}

// addCatalogue adds the translations of a compiled message catalogue: a header
// of seven words, then tables of (length, offset) of originals and
// translations.
func (l *lines) addCatalogue(locale string, file []byte) error {
	const magic = 0x950412de
	order := binary.LittleEndian
	if len(file) < 28 || order.Uint32(file) != magic {
		return errors.New("not a catalogue")
	}
	count, originals, translations := order.Uint32(file[8:]), order.Uint32(file[12:]), order.Uint32(file[16:])
	text := func(table, i uint32) (string, bool) {
		at := uint64(table) + 8*uint64(i)
		if at+8 > uint64(len(file)) {
			return "", false
		}
		length, offset := uint64(order.Uint32(file[at:])), uint64(order.Uint32(file[at+4:]))
		if offset+length > uint64(len(file)) {
			return "", false
		}
		s, _, _ := strings.Cut(string(file[offset:offset+length]), "\x00") // the singular
		return s, true
	}
	for i := range count {
		original, ok1 := text(originals, i)
		translation, ok2 := text(translations, i)
		if !ok1 || !ok2 {
			return errors.New("a damaged catalogue")
		}
		if _, after, found := strings.Cut(original, "\x04"); found { // after its context
			original = after
		}
		if original == "" || original == translation {
			continue
		}
		s := strings.Fields(placeholders.ReplaceAllString(translation, " "))
		if len(s) >= minWords {
			l.add(locale, strings.Join(s, " "))
		}
	}
	return nil
}

func (l *lines) add(locale, text string) {
	code, known := localeCodes[locale]
	if !known {
		code, _, _ = strings.Cut(strings.ReplaceAll(locale, "_", "-"), "-")
	}
	if code == "" {
		return
	}
	if l.by[code] == nil {
		l.by[code] = map[string]bool{}
	}
	l.by[code][text] = true
}

// english is the share above which a line of another language counts as
// untranslated, and the number of frequent words for that test.
const (
	englishShare = 0.5
	englishWords = 4000
)

// of returns the lines of a language in a fixed order, without English ones.
func (l *lines) of(code string, english map[string]bool) []string {
	var list []string
	for line := range l.by[code] {
		if code == "en" || shareOf(line, english) <= englishShare {
			list = append(list, line)
		}
	}
	slices.Sort(list)
	return list
}
