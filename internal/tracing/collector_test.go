package tracing_test

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"watchpost/internal/tracing"
)

// export sends a span to a handler, over TLS if secure, and returns what the log says.
func export(t *testing.T, secure bool, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	if secure {
		server.StartTLS()
		file := filepath.Join(t.TempDir(), "authority.pem")
		authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		require.NoError(t, os.WriteFile(file, authority, 0o600))
		t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", file)
	} else {
		server.Start()
	}
	defer server.Close()
	var said lockedBuilder
	tr, err := tracing.Open(context.Background(), server.URL, "tested", "1", slog.New(slog.NewTextHandler(&said, nil)))
	require.NoError(t, err)
	_, span := tr.Start(context.Background(), "a span")
	span.End()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := tr.Close(ctx); err != nil {
		return said.String() + err.Error()
	}
	return said.String()
}

type lockedBuilder struct {
	mu sync.Mutex
	strings.Builder
}

func (b *lockedBuilder) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.Write(p)
}

// TestExport: a collector gets spans as the variables of OpenTelemetry say, and those of
// traces count before those of all signals.
func TestExport(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-of-all=1")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "authorization=Bearer%20secret, x-team = a b ")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	var names []string
	said := export(t, true, func(_ http.ResponseWriter, r *http.Request) {
		var traces otlp.TracesData
		plain, err := gzip.NewReader(r.Body)
		if err == nil {
			var body []byte
			if body, err = io.ReadAll(plain); err == nil {
				err = proto.Unmarshal(body, &traces)
			}
		}
		if err != nil {
			t.Error(err)
			return
		}
		for _, s := range traces.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans() {
			names = append(names, r.URL.Path, s.GetName(), r.Header.Get("Authorization"), r.Header.Get("X-Team"), r.Header.Get("X-Of-All"), r.Header.Get("Content-Type"), r.Header.Get("Content-Encoding"))
		}
	})
	require.Empty(t, said)
	require.Equal(t, []string{"/v1/traces", "a span", "Bearer secret", "a b", "", "application/x-protobuf", "gzip"}, names)
}

// TestExportAgain: an overloaded collector gets spans again when it says, any other one does
// not, and the log has what it answers.
func TestExportAgain(t *testing.T) {
	for _, c := range []struct {
		status   int
		answer   string
		requests int
		want     string
	}{
		{http.StatusServiceUnavailable, "", 2, ""},
		{http.StatusTooManyRequests, "", 2, ""},
		{http.StatusBadRequest, "no such project", 1, "400 Bad Request: \"no such project\""},
		{http.StatusOK, "one span is too long", 1, "refuses a part: \"one span is too long\""},
	} {
		requests := 0
		said := export(t, false, func(w http.ResponseWriter, _ *http.Request) {
			if requests++; requests > 1 {
				return
			}
			w.Header().Set("Retry-After", "0")
			w.Header().Set("Content-Type", "application/x-protobuf")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.answer)
		})
		require.Equal(t, c.requests, requests, c.status)
		if c.want == "" {
			require.Empty(t, said)
		} else {
			require.Contains(t, strings.ReplaceAll(said, `\`, ""), c.want)
		}
	}
}

// TestExportEnds: spans that wait for a collector, or for its answer, do not hold up the end
// of the process.
func TestExportEnds(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
	begin := time.Now()
	said := export(t, false, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	require.Contains(t, said, "deadline exceeded")
	require.Less(t, time.Since(begin), 10*time.Second, "the time of a request without the variable")

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "")
	var log lockedBuilder
	tr, err := tracing.Open(context.Background(), server.URL, "tested", "1", slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	_, span := tr.Start(context.Background(), "a span")
	span.End()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	require.Error(t, tr.Close(ctx))
}

// TestWrongSettings: a variable that cannot be right ends the start, and a secret in it is
// not shown.
func TestWrongSettings(t *testing.T) {
	for name, value := range map[string]string{"HEADERS": "secret", "TIMEOUT": "10s", "CERTIFICATE": "/nonexistent/secret.pem"} {
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, value)
		_, err := tracing.Open(context.Background(), "http://127.0.0.1:1", "tested", "1", slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, "OTEL_EXPORTER_OTLP_"+name)
		if name == "HEADERS" {
			require.NotContains(t, err.Error(), value)
		}
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, "")
	}
}
