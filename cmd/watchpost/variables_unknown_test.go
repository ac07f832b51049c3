package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnknownVariables: a misspelled variable is found. Variables of flags, of files with
// secrets, of other programs and of service links are not.
func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	var line commandLine
	parser, err := newParser(&line)
	require.NoError(t, err)
	known := knownVariables(parser.Model)
	for _, file := range []string{"ADMIN_TOKEN", "METRICS_TOKEN", "MASTER_KEY", "STORE", "INTERPRETER_KEY", "SMTP_PASSWORD"} {
		require.True(t, known["WATCHPOST_"+file+"_FILE"], file)
	}
	unknown := unknownVariables(known, []string{
		"WATCHPOST_SMPT_HOST=mail.example", "WATCHPOST_KEEPPOSTS=30d", "WATCHPOST_KEEP_POSTS_FILE=x",
		"WATCHPOST_LISTEN=:1", "WATCHPOST_SMTP_HOST=mail.example", "WATCHPOST_DEMO_LISTEN=:1", "WATCHPOST_MASTER_KEY_FILE=x", "WATCHPOST_SMTP_PASSWORD_FILE=x",
		"PATH=/bin", "WATCHPOST_SERVICE_HOST=10.0.0.1", "WATCHPOST_PORT=tcp://10.0.0.1:80", "WATCHPOST_PORT_8080_TCP_ADDR=10.0.0.1", "WATCHPOST_NODES_SERVICE_PORT_HTTP=1",
	})
	require.Equal(t, []string{"WATCHPOST_KEEPPOSTS", "WATCHPOST_KEEP_POSTS_FILE", "WATCHPOST_SMPT_HOST"}, unknown)
}
