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
)

// podNamespaces are where the components run, on OpenShift and elsewhere.
var podNamespaces = []string{"openshift-kube-controller-manager", versionNamespace, "kube-system"}

// collect asks for all that the verdicts need. What is not permitted is missing, and told.
func (l *live) collect() error {
	objects := []struct{ kind, path string }{
		{"Namespace", "/api/v1/namespaces"},
		{"FeatureGate", "/apis/config.openshift.io/v1/featuregates"},
		{"ClusterVersion", "/apis/config.openshift.io/v1/clusterversions"},
		{"ClusterOperator", "/apis/config.openshift.io/v1/clusteroperators"},
		{"Lease", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"},
		{"Lease", "/apis/coordination.k8s.io/v1/namespaces/" + versionNamespace + "/leases"},
	}
	for _, namespace := range podNamespaces {
		objects = append(objects, struct{ kind, path string }{"Pod", "/api/v1/namespaces/" + namespace + "/pods"})
	}
	for _, o := range objects {
		err := l.list(o.kind, o.path)
		switch {
		case code(err) == http.StatusUnauthorized:
			return fmt.Errorf("ask for %s: %w\nnext: name a kubeconfig that the cluster accepts", o.path, err)
		case code(err) == http.StatusNotFound:
			l.noGateKind = l.noGateKind || o.kind == "FeatureGate"
		case code(err) != 0: // what it would have told is missing, and its verdict says so
			l.note("%s: %v", o.path, err)
		case err != nil:
			return hinted(o.path, err)
		}
	}
	return l.podLogs()
}

// hinted adds what to do about an error that waiting does not mend.
func hinted(path string, err error) error {
	if gone := (Unreachable{}); errors.As(err, &gone) || errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\nnext: ") {
		return err
	}
	return fmt.Errorf("ask for %s: %w\nnext: mend the kubeconfig, then run the same command again", path, err)
}

// list reads a list page by page.
func (l *live) list(kind, path string) error {
	query := url.Values{"limit": {"200"}}
	for {
		body, err := l.get(path, query)
		if err != nil {
			return err
		}
		next, err := l.page(kind, path, body)
		if err != nil || next == "" {
			return err
		}
		query.Set("continue", next)
	}
}

// podLogs reads the logs of the containers found, of the running process and of the one before.
func (l *live) podLogs() error {
	for _, s := range append([]status(nil), l.statuses...) {
		for _, previous := range []bool{true, false} {
			if previous && s.RestartCount == 0 {
				continue
			}
			if err := l.podLog(s, previous); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *live) podLog(s status, previous bool) error {
	name := fmt.Sprintf("pod %s %s", s.where, s.Name)
	if previous {
		name += " (previous)"
	}
	namespace, pod := s.pod()
	body, err := l.get("/api/v1/namespaces/"+namespace+"/pods/"+pod+"/log", url.Values{
		"container": {s.Name}, "previous": {fmt.Sprint(previous)},
	})
	if code(err) != 0 { // the message may be a report's own: the kubelet has lost the container
		l.refusedLog(name, s, err)
		return nil
	}
	if err != nil {
		return err
	}
	defer body.Close()
	read := newLog(name, place{role: roleComponent, component: s.Name, previous: previous})
	n, err := eachLine(l.ctx, body, read.read)
	l.bytes += n
	l.addLog(read)
	if err != nil {
		if l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		l.missing("%s: %v", name, broken(err))
	}
	return nil
}

// refusedLog takes the answer to a log that is not given as a line of its own.
func (l *live) refusedLog(name string, s status, err error) {
	said := refusal{}
	errors.As(err, &said)
	if f, ok := everySign.recognise([]byte(said.message)); ok && l.node.add(f, Quote{File: name, Text: said.message}) {
		return
	}
	l.note("%s: %v", name, err)
}

// page takes one page of a list in and gives the token of the next.
func (l *live) page(kind, path string, body io.ReadCloser) (string, error) {
	defer body.Close()
	var list struct {
		Metadata struct {
			Continue string `json:"continue"`
		} `json:"metadata"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.NewDecoder(&budget{body, pageSize}).Decode(&list); err != nil {
		return "", fmt.Errorf("read %s: %w\nnext: is this the API of a cluster?", path, err)
	}
	for _, item := range list.Items {
		if err := decodeJSON(item, func(o object) {
			o.Kind = kind
			l.addObject(path, o)
		}); err != nil {
			l.missing("%s: %v", path, err)
		}
	}
	return list.Metadata.Continue, nil
}

// pageSize bounds one page in memory, in bytes.
const pageSize = 64 << 20
