package controlplane

import (
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/openshift/library-go/pkg/crypto"
	"k8s.io/apimachinery/pkg/util/sets"
)

// lifetime of all certificates: longer than any run.
const lifetime = 48 * time.Hour

// PKI holds what the processes of a control plane prove themselves with. One
// may serve many control planes: making the keys costs more than using them.
type PKI struct {
	// Server is what kube-apiserver and a proxy before it serve as: both
	// loopback addresses, localhost and what NewPKI was given.
	Server tls.Certificate
	// Pool trusts Server.
	Pool *x509.CertPool

	files      map[string][]byte // by name in the directory they are written to
	caPEM      []byte
	adminToken string // a member of system:masters
	token      string // of the component
	front      *crypto.CA

	operatorToken string // of the component, if that is the operator
}

// names of the files that Write makes.
const (
	caCert         = "ca.crt"
	caKey          = "ca.key"
	frontProxyCert = "front-proxy-ca.crt" // trusted for request headers
	serverCert     = "server.crt"
	serverKey      = "server.key"
	accountKey     = "service-account.key"
	tokenFile      = "tokens.csv"
)

// componentUser is who the component is: never a member of system:masters, so
// that it has the rights upstream's bootstrap roles give it and no others.
const componentUser = "system:kube-controller-manager"

// NewPKI makes fresh keys, certificates and tokens. Hosts are names and
// addresses that the server goes by beside those of every control plane.
func NewPKI(hosts ...string) (*PKI, error) {
	ca, err := newCA("carry-rig")
	if err != nil {
		return nil, err
	}
	front, err := newCA("carry-rig-front-proxy")
	if err != nil {
		return nil, err
	}
	server, err := ca.MakeServerCert(sets.New("localhost", IPv6.Loopback(), IPv4.Loopback()).Insert(hosts...), lifetime)
	if err != nil {
		return nil, fmt.Errorf("make server certificate: %w", err)
	}
	p := &PKI{files: map[string][]byte{}, adminToken: rand.Text(), token: rand.Text(), front: front}
	if err := p.encode(ca, front, server); err != nil {
		return nil, err
	}
	p.files[tokenFile] = fmt.Appendf(nil, "%s,admin,admin,system:masters\n%s,%s,component\n", p.adminToken, p.token, componentUser)
	p.operatorToken = rand.Text()
	p.files[tokenFile] = fmt.Appendf(p.files[tokenFile], "%s,%s,operator,system:serviceaccounts\n", p.operatorToken, operatorUser)
	return p, nil
}

func newCA(name string) (*crypto.CA, error) {
	config, err := crypto.MakeSelfSignedCAConfig(name, lifetime)
	if err != nil {
		return nil, fmt.Errorf("make certificate authority %s: %w", name, err)
	}
	return &crypto.CA{Config: config, SerialGenerator: &crypto.RandomSerialGenerator{}}, nil
}

func (p *PKI) encode(ca, front *crypto.CA, server *crypto.TLSCertificateConfig) error {
	pairs := []struct {
		config    *crypto.TLSCertificateConfig
		cert, key string
	}{{ca.Config, caCert, caKey}, {front.Config, frontProxyCert, ""}, {server, serverCert, serverKey}}
	for _, pair := range pairs {
		cert, key, err := pair.config.GetPEMBytes()
		if err != nil {
			return fmt.Errorf("encode %s: %w", pair.cert, err)
		}
		p.files[pair.cert] = cert
		if pair.key != "" {
			p.files[pair.key] = key
		}
	}
	if err := p.encodeAccountKey(); err != nil {
		return err
	}
	p.caPEM = bytes.Clone(p.files[caCert])
	p.Pool = x509.NewCertPool()
	p.Pool.AppendCertsFromPEM(p.caPEM)
	var err error
	p.Server, err = tls.X509KeyPair(p.files[serverCert], p.files[serverKey])
	if err != nil {
		return fmt.Errorf("load server certificate: %w", err)
	}
	return nil
}

func (p *PKI) encodeAccountKey() error {
	_, key, err := crypto.NewKeyPair()
	if err != nil {
		return fmt.Errorf("make service account key: %w", err)
	}
	p.files[accountKey], err = crypto.EncodeKey(key)
	if err != nil {
		return fmt.Errorf("encode service account key: %w", err)
	}
	return nil
}

// write puts all files into a directory that it makes.
func (p *PKI) write(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory of certificates: %w", err)
	}
	for name, data := range p.files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return fmt.Errorf("write certificates: %w", err)
		}
	}
	return nil
}
