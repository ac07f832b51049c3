package postindex_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// long is whether the tests may take their time.
var long = os.Getenv("WATCHPOST_LONG") != ""

func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !long && !asked {
		if err := flag.Set("rapid.checks", "25"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
