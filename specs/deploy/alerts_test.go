package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAlertRules: every alert fires on its fault, none on a healthy service.
func TestAlertRules(t *testing.T) {
	promtool := tool(t, "promtool")
	dir := filepath.Join(folder, "prometheus")
	require.Contains(t, output(t, dir, promtool, "check", "rules", "rules.yaml"), "SUCCESS")
	require.Contains(t, output(t, dir, promtool, "test", "rules", "rules.test.yaml"), "SUCCESS")
}

// TestEveryAlertIsTestedAndExplained compares the names of alerts.
func TestEveryAlertIsTestedAndExplained(t *testing.T) {
	var alerts []string
	for _, found := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(read(t, "prometheus/rules.yaml"), -1) {
		alerts = append(alerts, found[1])
		require.Contains(t, read(t, "prometheus/rules.test.yaml"), `alertname="`+found[1]+`"`)
	}
	var explained []string
	for _, found := range regexp.MustCompile(`(?m)^### (\w+)$`).FindAllStringSubmatch(read(t, "RUNBOOK.md"), -1) {
		explained = append(explained, found[1])
	}
	require.NotEmpty(t, alerts)
	require.Equal(t, alerts, explained)
}

// series finds the metrics in an expression.
var series = regexp.MustCompile(`\b(?:(?:watchpost|node|process)_\w+|up\b)`)

// TestHealthyServiceHasEveryMetric: an alert is quiet on a healthy service because of what
// its metrics say, not because the test leaves them out.
func TestHealthyServiceHasEveryMetric(t *testing.T) {
	_, healthy, found := strings.Cut(read(t, "prometheus/rules.test.yaml"), "- name: healthy\n")
	require.True(t, found)
	healthy, _, found = strings.Cut(healthy, "\n  - name:")
	require.True(t, found)
	given := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^ +- \{series: .*$`).FindAllString(healthy, -1) {
		given[series.FindString(line)] = true
	}
	rules := regexp.MustCompile(`(?s)expr:(.*?)\n +(?:for|labels):`).FindAllString(read(t, "prometheus/rules.yaml"), -1)
	require.Greater(t, len(rules), 15)
	for _, rule := range rules {
		for _, metric := range series.FindAllString(rule, -1) {
			require.True(t, given[metric], "the healthy service of rules.test.yaml lacks %s", metric)
		}
	}
}

// TestPrometheusReadsTheRunbook: the configuration of Prometheus in the runbook, with the
// rules, is one.
func TestPrometheusReadsTheRunbook(t *testing.T) {
	promtool := tool(t, "promtool")
	found := regexp.MustCompile("(?s)```yaml\n(scrape_configs:.*?)```").FindStringSubmatch(read(t, "RUNBOOK.md"))
	require.NotNil(t, found)
	dir := t.TempDir()
	secret := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(secret, []byte("x"), 0o600))
	config := strings.Replace(found[1], "/etc/prometheus/watchpost-token", secret, 1)
	require.Contains(t, config, secret)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(read(t, "prometheus/rules.yaml")), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yaml"), []byte("rule_files: [rules.yaml]\n"+config), 0o600))
	said := output(t, dir, promtool, "check", "config", "prometheus.yaml")
	require.Contains(t, said, "prometheus.yaml is valid prometheus config file syntax")
	require.Regexp(t, `SUCCESS: \d+ rules found`, said)
}

// TestProxyAcceptsItsConfiguration: HAProxy reads the shipped file as it is; specs/cluster
// runs it in front of nodes.
func TestProxyAcceptsItsConfiguration(t *testing.T) {
	haproxy := tool(t, "haproxy")
	for line := range strings.Lines(output(t, ".", haproxy, "-c", "-f", filepath.Join(folder, "haproxy.cfg"))) {
		if strings.Contains(line, "could not resolve address 'watchpost") { // the names are those of the compose file
			continue
		}
		require.NotContains(t, line, "[WARNING]")
	}
}
