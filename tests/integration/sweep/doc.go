// Package sweep refuses a component the API at every request of its start, one start for each, on the base binary and on the patched one,
// and says which process outlived it. It learns the requests from starts
// without a fault, names them (a window), plans cells of window, kind of
// fault, length, kind of start and side, runs them on a small pool of control
// planes and reports. README.md says how to run it.
package sweep
