package imagetext

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fake puts a program with that name into PATH.
func fake(t *testing.T, script string) Reader {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"+script), 0o700))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	r := Find()
	require.Equal(t, filepath.Join(dir, program), r.program)
	return r
}

func TestRead(t *testing.T) {
	r := fake(t, `[ "$1 $2" = "stdin stdout" ] || exit 9; printf '  Annual   '; cat; printf '\n\n \f\nReport\n'`)
	text, err := r.Read(t.Context(), []byte("gala"))
	require.NoError(t, err)
	require.Equal(t, "Annual gala\nReport", text)
}

func TestReadRefusedImage(t *testing.T) {
	r := fake(t, "echo 'Error during processing.' >&2; echo more >&2; exit 1")
	_, err := r.Read(t.Context(), []byte("x"))
	require.ErrorContains(t, err, "Error during processing.")
	require.NotContains(t, err.Error(), "more")
	_, err = r.Read(t.Context(), make([]byte, MaxImage+1))
	require.ErrorContains(t, err, "bytes")
}

// TestReadTakesItsTimeOnly: a program that does not end is killed.
func TestReadTakesItsTimeOnly(t *testing.T) {
	r := fake(t, "exec tail -f /dev/null")
	r.timeout = 50 * time.Millisecond
	_, err := r.Read(t.Context(), []byte("x"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestNotInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := Find()
	require.False(t, r.Found())
	text, err := r.Read(t.Context(), []byte("x"))
	require.NoError(t, err)
	require.Empty(t, text)
}

// TestTesseract runs the real program, where it is installed.
func TestTesseract(t *testing.T) {
	r := Find()
	if !r.Found() {
		t.Skip("tesseract is not installed")
	}
	text, err := r.Read(t.Context(), letters(t, "HELLO"))
	require.NoError(t, err)
	require.Equal(t, "HELLO", strings.ToUpper(text))
	_, err = r.Read(t.Context(), []byte("no image"))
	require.Error(t, err)
}

// letters draws a word in large block letters.
func letters(t *testing.T, word string) []byte {
	t.Helper()
	shapes := map[rune][]string{
		'H': {"#...#", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"},
		'E': {"#####", "#....", "#....", "####.", "#....", "#....", "#####"},
		'L': {"#....", "#....", "#....", "#....", "#....", "#....", "#####"},
		'O': {".###.", "#...#", "#...#", "#...#", "#...#", "#...#", ".###."},
	}
	const dot, margin = 8, 40
	canvas := image.NewGray(image.Rect(0, 0, 2*margin+len(word)*6*dot, 2*margin+7*dot))
	draw.Draw(canvas, canvas.Bounds(), image.White, image.Point{}, draw.Src)
	for i, r := range word {
		for y, row := range shapes[r] {
			for x, c := range row {
				if c == '#' {
					at := image.Pt(margin+(i*6+x)*dot, margin+y*dot)
					draw.Draw(canvas, image.Rectangle{Min: at, Max: at.Add(image.Pt(dot, dot))}, image.NewUniform(color.Black), image.Point{}, draw.Src)
				}
			}
		}
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, canvas))
	return b.Bytes()
}
