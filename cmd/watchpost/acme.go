package main

import (
	"context"
	"crypto/tls"
	"errors"
	"path/filepath"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// acmeFlags let the service obtain its certificates itself.
type acmeFlags struct {
	Host      []string `help:"Names of this service to obtain TLS certificates for, by ACME and its terms of service. Port 443 of each name must lead to --listen."`
	Email     string   `help:"Address for notices of the ACME server."`
	Directory string   `default:"https://acme-v02.api.letsencrypt.org/directory" help:"Directory of the ACME server."`
}

func (c *serveCommand) checkACME() error {
	switch {
	case len(c.ACME.Host) == 0:
		return nil
	case c.TLSCert != "":
		return errors.New("--acme-host: not together with --tls-cert")
	case c.Cluster:
		return errors.New("--acme-host: not with --cluster, whose nodes would each need a certificate for one name: put a proxy with TLS in front")
	}
	return nil
}

// startTLS prepares the certificate of the service: that of --tls-cert, or those of
// --acme-host, which are kept in --data. Without either there is no TLS.
func (s *service) startTLS(context.Context) (err error) {
	c := s.config
	switch {
	case c.TLSCert != "":
		if s.certificate, err = openCertificate(c.TLSCert, c.TLSKey, s.log); err != nil {
			return err
		}
		s.tls = &tls.Config{GetCertificate: s.certificate.get, MinVersion: tls.VersionTLS12}
	case len(c.ACME.Host) > 0:
		s.acme = &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(filepath.Join(c.Data, "acme")), Email: c.ACME.Email,
			HostPolicy: autocert.HostWhitelist(c.ACME.Host...), Client: &acme.Client{DirectoryURL: c.ACME.Directory},
		}
		s.tls = s.acme.TLSConfig()
		s.tls.MinVersion = tls.VersionTLS12
	}
	return nil
}

// obtainCertificates obtains the certificates that are missing, so that the log says
// at the start what the first clients would meet. A name that fails is tried again
// with each of its connections, at most once a minute.
func (s *service) obtainCertificates() {
	if s.acme == nil {
		return
	}
	for _, host := range s.config.ACME.Host {
		obtained, err := s.acme.GetCertificate(&tls.ClientHelloInfo{
			ServerName: host, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
			SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256}, SupportedCurves: []tls.CurveID{tls.CurveP256},
		})
		switch {
		case s.background.Err() != nil:
			return
		case err != nil:
			s.log.Error("no certificate: port 443 of the name must lead to --listen", "host", host, "acme", s.config.ACME.Directory, "error", err)
		default:
			s.log.Info("certificate ready", "host", host, "expires", obtained.Leaf.NotAfter)
		}
	}
}
