package faults

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"time"
)

type wrongCA struct{ mute }

// WrongCA is another cluster's server at the same address: its certificate is for the name and the
// address that were dialled, but of an authority that the client does not know. Open connections are
// reset.
func WrongCA() Fault { return wrongCA{} }

func (wrongCA) Name() string                { return "wrong-ca" }
func (wrongCA) strike() func(*conn, string) { return resets }

// admits also those connections whose client does not look at certificates: their requests are never
// answered.
func (wrongCA) admits(c *conn) bool {
	c.raw.config = impostor
	return true
}

func impostor(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	cert, err := impostorCert(hello.ServerName, hello.Conn.LocalAddr().(*net.TCPAddr).IP)
	if err != nil {
		return nil, fmt.Errorf("make certificate of another authority: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}}, nil
}

func impostorCert(name string, ip net.IP) (tls.Certificate, error) {
	ca := certTemplate("another authority")
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf := certTemplate("another server")
	leaf.IPAddresses = []net.IP{ip}
	if name != "" {
		leaf.DNSNames = []string{name}
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, ca, leafKey.Public(), caKey)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: leafKey}, nil
}

func certTemplate(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}
