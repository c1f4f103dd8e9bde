package sweep

import "time"

// shortWindows are one or more of every family in which the base exits: the
// look-up of the authentication configuration, the lease, the wait for the
// API's health, the clients of the constructors, their discovery and their
// tokens.
var shortWindows = []string{
	"GET /api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication #1",
	"GET /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager #1",
	"POST /apis/coordination.k8s.io/v1/namespaces/kube-system/leases #1",
	"PUT /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager #1",
	"GET /healthz #1",
	"GET /api/v1/namespaces/kube-system/serviceaccounts/namespace-controller #1",
	"GET /api/v1/namespaces/kube-system/serviceaccounts/podcertificaterequestcleaner #1",
	"GET /api/v1/namespaces/kube-system/serviceaccounts/resourcequota-controller #1",
	"POST /api/v1/namespaces/kube-system/serviceaccounts/resourcequota-controller/token #1",
	"GET /api #1",
	"GET /apis #1",
	"GET /apis/certificates.k8s.io/v1 #1",
}

// shortPlan is the same on every machine and needs no learning.
func shortPlan(series string) (Plan, error) {
	l := Learned{Side: patched, Start: restart}
	for _, text := range shortWindows {
		w, err := parseWindow(text)
		if err != nil {
			return Plan{}, err
		}
		l.Windows = append(l.Windows, w)
	}
	return Plan{Stream: "1.37", Series: series, Learned: []Learned{l}}, nil
}

// shortCells is the subset that every change has to pass.
func shortCells(p Plan) []Cell {
	var cells []Cell
	for _, w := range p.Learned[0].Windows {
		cells = append(cells, Cell{
			Stream: p.Stream, Side: patched, Start: restart, Kind: "refused", Length: 12 * time.Second, Window: w,
		})
	}
	return cells
}
