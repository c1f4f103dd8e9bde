package faults

type halfOpen struct{ silent }

// HalfOpen is a server, or a path to it, that went away without a word: as with Blackhole nothing is
// answered, but connections that were there while it was on stay as they are after its end, never
// answered and never reset; only new ones work. With Trigger.After, the one that carried the answer
// says that it goes away (GOAWAY) before it falls silent.
func HalfOpen() Fault { return halfOpen{silent{name: "half-open"}} }

func (halfOpen) strike() func(*conn, string) { return (*conn).freeze }
