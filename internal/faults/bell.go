package faults

import "sync"

// A bell wakes those who began to wait before it rang. The zero value is ready.
type bell struct {
	mu sync.Mutex
	c  chan struct{}
}

func (b *bell) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.c == nil {
		b.c = make(chan struct{})
	}
	return b.c
}

// take gives the function that wakes those who wait now, and not those who come later.
func (b *bell) take() (ring func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.c
	b.c = nil
	return func() {
		if c != nil {
			close(c)
		}
	}
}

func (b *bell) ring() { b.take()() }
