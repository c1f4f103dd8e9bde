package check

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Options say how patient a check of a cluster is.
type Options struct {
	Wait    time.Duration   // how long an API that cannot be reached is asked again; 0: once
	Every   time.Duration   // between two attempts; 0: a second
	Waiting func(err error) // called once when the waiting begins; nil: nothing
}

// Unreachable is the error of an API that could not be reached for all of the wait.
type Unreachable struct {
	For time.Duration
	Err error
}

func (u Unreachable) Error() string {
	return fmt.Sprintf("the cluster refuses connections, asked for %s: %v", u.For, u.Err)
}

func (u Unreachable) Unwrap() error { return u.Err }

// patiently repeats do while the API cannot be reached.
func (o Options) patiently(ctx context.Context, do func() error) error {
	every := o.Every
	if every == 0 {
		every = time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	for told := false; ; {
		err := do()
		if err == nil || lasting(err) {
			return err
		}
		if !told && o.Wait > 0 && o.Waiting != nil {
			o.Waiting(err)
			told = true
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return ctx.Err()
			}
			return Unreachable{o.Wait, err}
		case <-time.After(every):
		}
	}
}

// lasting tells whether an error is an answer, or comes of a configuration that waiting does not mend.
func lasting(err error) bool {
	if c := code(err); c != 0 {
		return c < http.StatusInternalServerError && c != http.StatusTooManyRequests
	}
	var (
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		name      *net.DNSError
	)
	return errors.Is(err, context.Canceled) || errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid) ||
		errors.As(err, &name) && name.IsNotFound
}
