package engagementindex_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

var ctx = context.Background()

// TestMain makes the random test short, unless WATCHPOST_LONG is set or a number of
// checks was asked for.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := os.Getenv("WATCHPOST_LONG") != ""
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", "25"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
