package tracing

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector sends spans by OTLP over HTTP, as the variables OTEL_EXPORTER_OTLP_… say. The
// client of the OpenTelemetry project does the same, and needs grpc for it: 1.9 MiB of the
// program.
type collector struct {
	address string
	headers http.Header
	gzip    bool
	timeout time.Duration // of a request
	client  *http.Client
}

const (
	defaultTimeout = 10 * time.Second
	retryAfter     = 5 * time.Second // unless the collector says another time
	contentType    = "application/x-protobuf"
)

// setting returns a variable of the exporter: that of traces, else that of all signals.
func setting(name string) string {
	return cmp.Or(strings.TrimSpace(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_"+name)), strings.TrimSpace(os.Getenv("OTEL_EXPORTER_OTLP_"+name)))
}

func newCollector(address string) (*collector, error) {
	headers, err := headersOf(setting("HEADERS"))
	if err != nil {
		return nil, err
	}
	config, err := tlsOf(setting("CERTIFICATE"), setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY"))
	if err != nil {
		return nil, err
	}
	timeout := defaultTimeout
	if text := setting("TIMEOUT"); text != "" {
		milliseconds, err := strconv.Atoi(text)
		if err != nil || milliseconds <= 0 {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT %s: want milliseconds", text)
		}
		timeout = time.Duration(milliseconds) * time.Millisecond
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = config
	return &collector{
		address: address, headers: headers, gzip: setting("COMPRESSION") == "gzip", timeout: timeout,
		client: &http.Client{Transport: transport},
	}, nil
}

// headersOf reads name=value,… with escaped values.
func headersOf(text string) (http.Header, error) {
	headers := http.Header{}
	if text == "" {
		return headers, nil
	}
	for pair := range strings.SplitSeq(text, ",") {
		name, escaped, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(escaped)
		if name = strings.TrimSpace(name); !found || name == "" || err != nil {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS: want name=value,… with escaped values") // they are secrets
		}
		headers.Set(name, value)
	}
	return headers, nil
}

// tlsOf reads the authority of the collector and the certificate for it, which are names of
// files, or empty.
func tlsOf(authority, certificate, key string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		pem, err := os.ReadFile(authority)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %s has no certificate", authority)
		}
	}
	if certificate != "" && key != "" {
		own, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: %w", err)
		}
		config.Certificates = []tls.Certificate{own}
	}
	return config, nil
}

// Start implements otlptrace.Client.
func (c *collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client. The exporter calls it after the last upload.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. It sends spans again while the collector is
// overloaded, until ctx ends.
func (c *collector) UploadTraces(ctx context.Context, spans []*otlp.ResourceSpans) error {
	// The bytes are those of the request for an export, whose type needs grpc.
	body, err := proto.Marshal(&otlp.TracesData{ResourceSpans: spans})
	if err == nil && c.gzip {
		body, err = compressed(body)
	}
	if err != nil {
		return err
	}
	for {
		wait, err := c.send(ctx, body)
		if err == nil || wait < 0 {
			return err
		}
		pause, end := context.WithTimeout(ctx, wait)
		<-pause.Done()
		end()
	}
}

func compressed(body []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(body)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// send makes one request. With an error it returns when to send again; never if that is
// negative.
func (c *collector) send(ctx context.Context, body []byte) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	request.Header = c.headers.Clone()
	request.Header.Set("Content-Type", contentType)
	if c.gzip {
		request.Header.Set("Content-Encoding", "gzip")
	}
	reply, err := c.client.Do(request)
	if err != nil {
		return -1, err
	}
	defer reply.Body.Close() //nolint:errcheck // it is only read
	said, err := io.ReadAll(io.LimitReader(reply.Body, 4<<10))
	switch {
	case err != nil:
		return -1, err
	case reply.StatusCode == http.StatusTooManyRequests || reply.StatusCode == http.StatusBadGateway ||
		reply.StatusCode == http.StatusServiceUnavailable || reply.StatusCode == http.StatusGatewayTimeout:
		wait = retryAfter
		if seconds, err := strconv.Atoi(reply.Header.Get("Retry-After")); err == nil && seconds >= 0 {
			wait = time.Duration(seconds) * time.Second
		}
		return wait, fmt.Errorf("%s answers %s", c.address, reply.Status)
	case reply.StatusCode < 200 || reply.StatusCode > 299:
		return -1, fmt.Errorf("%s answers %s: %q", c.address, reply.Status, said)
	case len(said) > 0 && reply.Header.Get("Content-Type") == contentType: // an acceptance is empty
		return -1, fmt.Errorf("%s refuses a part: %q", c.address, said)
	}
	return 0, nil
}
