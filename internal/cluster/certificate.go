package cluster

import (
	"crypto/tls"
	"crypto/x509"
)

// VerifyCertificate returns why nodes that trust an authority would refuse the certificate of the
// node at a host, which serves them and calls them; nil if they would not.
func VerifyCertificate(pair *tls.Certificate, trusted *x509.CertPool, host string) error {
	between := x509.NewCertPool()
	for _, der := range pair.Certificate[1:] {
		if c, err := x509.ParseCertificate(der); err == nil {
			between.AddCert(c)
		}
	}
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		_, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: trusted, Intermediates: between, DNSName: host, KeyUsages: []x509.ExtKeyUsage{usage}})
		if err != nil {
			return err
		}
	}
	return nil
}
