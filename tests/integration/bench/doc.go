// Package bench measures kube-controller-manager on base beside patched, in
// one run on one machine: how long it takes to work again after an outage, how
// long a start takes without one, what it asks for and how often it dials
// while it waits, and what memory it takes. It turns that into JSON, a table
// and a page, and says which claims of the contract the figures bear out.
// README.md says how to run it.
package bench
