// Package imagetext reads the text of images with tesseract, if that program
// is installed. It is for callers that have the image; the service receives
// only addresses, and the text that a session reports.
package imagetext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// The program, and the limits for one image.
const (
	program = "tesseract"
	timeout = 10 * time.Second
	// MaxImage bounds an image in bytes.
	MaxImage = 16 << 20
	maxText  = 64 << 10
)

// Reader reads images. The zero value reads none.
type Reader struct {
	program string
	timeout time.Duration
}

// Find looks for the program in PATH; without it the Reader reads no images.
func Find() Reader {
	path, err := exec.LookPath(program)
	if err != nil {
		return Reader{}
	}
	return Reader{program: path, timeout: timeout}
}

// Found reports whether the Reader can read images.
func (r Reader) Found() bool { return r.program != "" }

// Read returns the text of an image (PNG, JPEG and other formats of
// tesseract), with single spaces between words and one line per line; "" when
// it has none, or the program is not installed. An image that the program
// cannot read, or not in time, is an error.
func (r Reader) Read(ctx context.Context, image []byte) (string, error) {
	if !r.Found() {
		return "", nil
	}
	if len(image) > MaxImage {
		return "", fmt.Errorf("image of %d bytes, of %d at most", len(image), MaxImage)
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	run := exec.CommandContext(ctx, r.program, "stdin", "stdout") //nolint:gosec // found in PATH by Find
	run.Env = append(run.Environ(), "OMP_THREAD_LIMIT=1")
	run.Stdin = bytes.NewReader(image)
	run.WaitDelay = time.Second
	text, err := run.Output()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", program, ctx.Err())
	case err != nil:
		said := ""
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			said, _, _ = strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		}
		return "", fmt.Errorf("%s: %w: %s", program, err, said)
	}
	return clean(string(text[:min(len(text), maxText)])), nil
}

// clean removes empty lines and redundant spaces.
func clean(text string) string {
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(text, "")) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
