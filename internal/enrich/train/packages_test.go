package main

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// catalogue compiles messages as msgfmt does.
func catalogue(pairs ...[2]string) []byte {
	const headerSize = 28
	n := len(pairs)
	file := append([]byte(nil), make([]byte, headerSize+16*n)...)
	order := binary.LittleEndian
	order.PutUint32(file, 0x950412de)
	order.PutUint32(file[8:], uint32(n))
	order.PutUint32(file[12:], headerSize)
	order.PutUint32(file[16:], uint32(headerSize+8*n))
	for i, pair := range pairs {
		for j, text := range pair {
			at := headerSize + 8*(i+j*n)
			order.PutUint32(file[at:], uint32(len(text)))
			order.PutUint32(file[at+4:], uint32(len(file)))
			file = append(append(file, text...), 0)
		}
	}
	return file
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	l := &lines{by: map[string]map[string]bool{}}
	file := catalogue(
		[2]string{"", "Language: de"},
		[2]string{"menu\x04~Save the file", "Die ~Datei sichern"},
		[2]string{"%d files\x00%d file", "%d Dateien sind da\x00%d Datei ist da"},
		[2]string{"Only in English here", "Only in English here"},
		[2]string{"OK", "OK!"},
	)
	require.NoError(t, l.addCatalogue("de_AT", file))
	require.Equal(t, []string{"Dateien sind da", "Die Datei sichern"}, l.of("de", nil))
	require.NoError(t, l.addCatalogue("sr@latin", file))
	require.NotContains(t, l.by, "sr")

	require.ErrorContains(t, l.addCatalogue("de", file[:40]), "damaged")
	require.ErrorContains(t, l.addCatalogue("de", []byte("<html>")), "not a catalogue")
}

func TestPage(t *testing.T) {
	t.Parallel()
	l := &lines{by: map[string]map[string]bool{}}
	l.addPage("pt-BR", `<p id="par_1">Clique em <b>Salvar</b> para guardar &amp; fechar o documento.</p><p id="par_2">curto</p><p>sem nome, mas comprido o bastante</p>`)
	require.Equal(t, []string{"Clique em Salvar para guardar & fechar o documento."}, l.of("pt", nil))
	l.addPage("pt-BR", `<p id="par_3">Click the button to save the document.</p>`)
	require.Len(t, l.of("pt", map[string]bool{"the": true, "to": true, "click": true, "save": true}), 1, "what nobody translated is left out")
}
