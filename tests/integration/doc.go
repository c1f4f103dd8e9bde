// Package integration runs scenarios: scripts (.txtar) that start a real
// component against a real etcd and kube-apiserver with a fault proxy between
// them, on the base binary, which must fail as reported, and on the patched
// one, which must not. README.md says how to write one.
package integration
