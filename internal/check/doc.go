// Package check turns what was collected of a cluster (a must-gather, an installer log bundle, CI artifacts, loose log
// files, or a live API) into one verdict for each of the three reports behind this project. It reads line by line and
// object by object, changes nothing, and follows no link and no name that leads out of what it was given.
//
// The way of the data: Folder, Archive and Cluster feed a collector with files; logs become runs of a component, objects
// become facts; Evidence.Judge draws the verdicts.
package check
