// Package controlplane turns paths of binaries and a directory into a control
// plane that answers: etcd, kube-apiserver and the component under test, each
// a child process of its own group that leaves argv, environment and log in
// the directory and is gone when the rig is. A child that ends early is an
// event with its exit code and last lines, never a time-out.
package controlplane
