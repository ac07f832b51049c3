package specs_test

import (
	"crypto/tls"
	"crypto/x509"
	endian "encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"watchpost/specs/process"
)

// pebble returns the path of the ACME server of the tests. make deploy-tools builds
// it; on the build server a missing one is a failure.
func pebble(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../bin/tools/pebble")
	require.NoError(t, err)
	if _, err = os.Stat(path); err != nil && os.Getenv("CI") == "" {
		t.Skip("pebble is not built: make deploy-tools")
	}
	require.NoError(t, err, "make deploy-tools builds pebble")
	return path
}

// answerNames is a name server (over TCP) to which every name is this machine.
func answerNames(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		<-done
	})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = answerName(conn) // the ACME server reports a missing answer
		}
	}()
	return listener.Addr().String()
}

// answerName answers one question.
func answerName(conn net.Conn) error {
	defer conn.Close()
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return err
	}
	question := make([]byte, endian.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, question); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return err
	}
	m.Response, m.Additionals = true, nil
	for _, q := range m.Questions {
		if q.Type == dnsmessage.TypeA {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
				Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			})
		}
	}
	reply, err := m.Pack()
	if err != nil {
		return err
	}
	_, err = conn.Write(append(endian.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
	return err
}

// TestACME: the service obtains a certificate from a real ACME server, which connects
// to it to validate the name, and keeps it over a restart (record 065).
func TestACME(t *testing.T) {
	t.Parallel()
	server := pebble(t)
	program, err := binary()
	require.NoError(t, err)
	dir := t.TempDir()
	var addresses [3]string
	for i := range addresses {
		addresses[i], err = process.FreeAddress()
		require.NoError(t, err)
	}
	listen, inner, management := addresses[0], addresses[1], addresses[2]
	_, port, err := net.SplitHostPort(listen)
	require.NoError(t, err)
	authority := filepath.Join(dir, "acme.pem")
	require.NoError(t, process.WriteCertificate(authority, filepath.Join(dir, "acme.key")))
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": inner, "managementListenAddress": management, "certificate": authority, "privateKey": filepath.Join(dir, "acme.key"),
		"httpPort": 1, "tlsPort": json.Number(port), "ocspResponderURL": "", "externalAccountBindingRequired": false,
	}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pebble.json"), config, 0o600))
	acme, err := process.LaunchWith([]string{"PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0"}, "pebble", dir, server,
		"-config", "pebble.json", "-dnsserver", answerNames(t))
	require.NoError(t, err)
	t.Cleanup(acme.Kill)
	_, err = acme.Await("Listening on: " + inner)
	require.NoError(t, err)
	directory := nameOrders(t, "https://"+inner, authority, filepath.Join(dir, "acme.key"))

	const host = "watchpost.example"
	start := func(directory string) *process.Process {
		p, err := process.LaunchWith([]string{"SSL_CERT_FILE=" + authority}, "service", dir, program, "serve", "--listen", listen, "--data", "data",
			"--acme-host", host, "--acme-email", "ops@example.com", "--acme-directory", directory)
		require.NoError(t, err)
		t.Cleanup(p.Kill)
		line, err := p.Await("certificate")
		require.NoError(t, err)
		require.Contains(t, line, `"msg":"certificate ready"`, "the ACME server says:\n%s", acme.Tail())
		return p
	}
	service := start(directory + "/dir")
	trust, err := x509.SystemCertPool()
	require.NoError(t, err)
	require.True(t, trust.AppendCertsFromPEM(rootOf(t, management, authority)))
	ask := func(name string) error {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust, ServerName: name}}
		defer transport.CloseIdleConnections()
		response, err := (&http.Client{Timeout: patience, Transport: transport}).Get("https://" + listen + "/healthz")
		if err == nil {
			require.Equal(t, http.StatusOK, response.StatusCode)
			err = response.Body.Close()
		}
		return err
	}
	require.NoError(t, ask(host))
	require.Error(t, ask("other.example"), "no certificate for names that are not given")
	require.NoError(t, service.Stop())
	entries, err := os.ReadDir(filepath.Join(dir, "data", "acme"))
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		requireMode(t, filepath.Join(dir, "data", "acme", e.Name()), 0o600)
	}

	// The certificate is kept: after a restart it is served without the ACME server.
	acme.Kill()
	service = start("https://127.0.0.1:1/dir")
	require.NoError(t, ask(host))
	require.NoError(t, service.Stop())
}

// nameOrders is a proxy in front of the ACME server. It adds the order's address to the
// reply that finalizes an order: Let's Encrypt does so and golang.org/x/crypto/acme
// needs it, but RFC 8555 does not ask for it and Pebble leaves it out.
func nameOrders(t *testing.T, server, cert, key string) (url string) {
	t.Helper()
	target, err := neturl.Parse(server)
	require.NoError(t, err)
	var order atomic.Value
	outward := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: poolOf(t, cert)}}
	proxy := httptest.NewUnstartedServer(&httputil.ReverseProxy{
		Transport: outward,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // signed by the client
		},
		ModifyResponse: func(r *http.Response) error {
			switch location := r.Header.Get("Location"); {
			case r.Request.URL.Path == "/order-plz":
				order.Store(location)
			case strings.HasPrefix(r.Request.URL.Path, "/finalize-order/") && location == "":
				r.Header.Set("Location", order.Load().(string))
			}
			return nil
		},
	})
	pair, err := tls.LoadX509KeyPair(cert, key)
	require.NoError(t, err)
	proxy.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	proxy.StartTLS()
	t.Cleanup(func() {
		proxy.Close()
		outward.CloseIdleConnections()
	})
	return proxy.URL
}

// poolOf trusts the certificate of a file.
func poolOf(t *testing.T, file string) *x509.CertPool {
	t.Helper()
	own, err := os.ReadFile(file)
	require.NoError(t, err)
	trust := x509.NewCertPool()
	require.True(t, trust.AppendCertsFromPEM(own))
	return trust
}

// rootOf returns the root certificate of the ACME server.
func rootOf(t *testing.T, management, authority string) []byte {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: poolOf(t, authority)}}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Timeout: patience, Transport: transport}).Get("https://" + management + "/roots/0")
	require.NoError(t, err)
	defer response.Body.Close()
	root, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(root), "-----BEGIN CERTIFICATE-----"))
	return root
}
