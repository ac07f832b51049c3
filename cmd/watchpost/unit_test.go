package main

import (
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// TestStopFitsTheUnit: systemd, Kubernetes and Compose wait for the longest
// graceful stop before they kill the process.
func TestStopFitsTheUnit(t *testing.T) {
	var serve serveCommand
	_, err := kong.Must(&serve).Parse(nil)
	require.NoError(t, err)
	longest := max(handoverTimeout, serve.DrainTime) + drainTimeout + 2*actorsTimeout + mailTimeout + spansTimeout
	for file, pattern := range map[string]string{
		"watchpost.service":     `TimeoutStopSec=(\d+)`,
		"compose.yaml":          `stop_grace_period: (\d+)s`,
		"compose.cluster.yaml":  `stop_grace_period: (\d+)s`,
		"kubernetes/nodes.yaml": `terminationGracePeriodSeconds: (\d+)`,
	} {
		content, err := os.ReadFile("../../deploy/" + file)
		require.NoError(t, err)
		found := regexp.MustCompile(pattern).FindSubmatch(content)
		require.NotNil(t, found, file)
		given, err := time.ParseDuration(string(found[1]) + "s")
		require.NoError(t, err)
		require.Greater(t, given, longest, file)
	}
}
