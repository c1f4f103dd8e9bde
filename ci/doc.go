// Package ci checks this folder and the components' Dockerfiles against the documented rules of OpenShift's CI, whose own
// checker is no module that could be required. Everything is in its tests: a file of a rule's kind is read strictly, a
// table of seeded defects shows that each rule can fail.
package ci
