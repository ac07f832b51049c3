// Command train trains the models of package enrich. It is not part of the
// program: build and tests need only the model files next to the code.
// README.md lists the training texts.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// out receives the output of the commands.
var out io.Writer = os.Stdout

type commandLine struct {
	Language  languageCommand  `cmd:"" help:"Learn to tell languages apart."`
	Sentiment sentimentCommand `cmd:"" help:"Learn to tell the sentiment of posts."`
}

func main() {
	var line commandLine
	parsed := kong.Parse(&line, kong.Name("train"), kong.UsageOnError())
	parsed.FatalIfErrorf(parsed.Run())
}

// post is a line of the corpus: a post with human labels.
type post struct{ ID, Language, Sentiment, Text string }

// The parts of the corpus, by the names of its posts. The second is never used
// for training.
const (
	trainingPart   = "-train-"
	validationPart = "-val-"
)

// readPosts reads the posts of a part of the corpus.
func readPosts(file, part string) ([]post, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []post
	for line := range bytes.Lines(content) {
		var p post
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if strings.Contains(p.ID, part) {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no posts of the part %q", file, part)
	}
	return all, nil
}

// writeModel writes a model file and prints its size and hash.
func writeModel(file string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	fmt.Fprintf(out, "%x  %s (%d bytes)\n", sha256.Sum256(b.Bytes()), file, b.Len())
	return os.WriteFile(file, b.Bytes(), 0o644) //nolint:gosec // as all files of the repository
}

func keys[K comparable, V any](m map[K]V) iter.Seq[K] { return maps.Keys(m) }
