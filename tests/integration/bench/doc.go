// Package bench measures a component on base beside patched, in one run on one
// machine. Of kube-controller-manager: how long it takes to work again after
// an outage, how long a start takes without one, what it asks for and how often
// it dials while it waits, and what memory it takes. Of
// cluster-version-operator: how long a cluster waits for what needs its feature
// gate, and how long a shutdown keeps the next process from leading. It turns that into JSON, a table
// and a page, and says which claims of the contract the figures bear out.
// README.md says how to run it.
package bench
