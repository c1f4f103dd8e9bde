package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Cluster reads a live cluster: lists, single objects and pods' logs, all of them GET requests. While the API cannot be
// reached it is asked again for as long as the options say; the error is then an Unreachable.
func Cluster(ctx context.Context, kubeconfig string, o Options) (*Evidence, error) {
	const next = "next: name a kubeconfig of somebody who may read pods and their logs in openshift-kube-controller-manager, openshift-cluster-version and kube-system"
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w\n%s", err, next)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make client of %s: %w\n%s", kubeconfig, err, next)
	}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("find server of %s: %w\n%s", kubeconfig, err, next)
	}
	l := &live{collector: &collector{ctx, newEvidence()}, client: client, base: base, options: o}
	l.layouts[layoutCluster] = true
	if err := l.collect(); err != nil {
		return nil, err
	}
	return l.Evidence, nil
}

// live asks a cluster.
type live struct {
	*collector
	client  *http.Client
	base    *url.URL
	options Options
}

// refusal is an answer that is no success.
type refusal struct {
	code    int
	message string
}

func (r refusal) Error() string { return fmt.Sprintf("status %d: %s", r.code, r.message) }

// get is the only way to the cluster. The body is the caller's to close.
func (l *live) get(path string, query url.Values) (io.ReadCloser, error) {
	u := l.base.JoinPath(path)
	u.RawQuery = query.Encode()
	var body io.ReadCloser
	err := l.options.patiently(l.ctx, func() (err error) {
		body, err = l.once(u.String())
		return err
	})
	return body, err
}

// answerTime bounds how long the beginning of an answer may take: an API that accepts and never answers is not there.
const answerTime = 30 * time.Second

var errNoAnswer = fmt.Errorf("no answer within %s", answerTime)

// once asks once. What was begun to be answered may take any time.
func (l *live) once(u string) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(l.ctx)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("ask for %s: %w", u, err)
	}
	timer := time.AfterFunc(answerTime, func() { cancel(errNoAnswer) })
	response, err := l.client.Do(request)
	timer.Stop()
	if err != nil {
		defer cancel(nil)
		if errors.Is(context.Cause(ctx), errNoAnswer) {
			return nil, errNoAnswer
		}
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return answer{response.Body, cancel}, nil
	}
	defer cancel(nil)
	defer response.Body.Close()
	return nil, refusal{response.StatusCode, statusMessage(response.Body)}
}

// answer frees its request when it is closed.
type answer struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (a answer) Close() error {
	defer a.cancel(nil)
	return a.ReadCloser.Close()
}

// statusMessage is what the API's Status object says, or the answer's beginning.
func statusMessage(r io.Reader) string {
	data, _ := io.ReadAll(io.LimitReader(r, lineLength)) // what was read of it is all there is to say
	var status struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &status) == nil && status.Message != "" {
		return printable(status.Message)
	}
	return printable(strings.TrimSpace(string(data)))
}

// code is the status of an answer that is no success, 0 for any other error.
func code(err error) int {
	if r := (refusal{}); errors.As(err, &r) {
		return r.code
	}
	return 0
}
