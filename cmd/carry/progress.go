package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// slow is after how long a step is worth a line of its own where nobody looks at a terminal, and how often the line
// is repeated.
const slow = 30 * time.Second

// step shows that something is under way, on standard error. The returned function ends it; what was quick leaves no
// trace.
func step(what string) func() {
	p := newProgress(what)
	return p.end
}

// progress is one long step: a spinner on a terminal, a plain line every now and then elsewhere.
type progress struct {
	what    string
	started time.Time
	count   chan struct{}
	stop    chan struct{}
	stopped chan struct{}
}

func newProgress(what string) *progress {
	p := &progress{what: what, started: time.Now(), count: make(chan struct{}), stop: make(chan struct{}), stopped: make(chan struct{})}
	go p.show(term.IsTerminal(int(os.Stderr.Fd())))
	return p
}

// tick counts one more package.
func (p *progress) tick(string) {
	select {
	case p.count <- struct{}{}:
	case <-p.stopped:
	}
}

func (p *progress) end() {
	close(p.stop)
	<-p.stopped
}

func (p *progress) show(terminal bool) {
	defer close(p.stopped)
	every, n := slow, 0
	var bar *progressbar.ProgressBar
	if terminal {
		every = 250 * time.Millisecond
		bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetDescription(p.what), progressbar.OptionSpinnerType(14), progressbar.OptionSetElapsedTime(true))
		defer bar.Finish()
	}
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-p.count:
			n++
		case <-t.C:
			text := p.text(n)
			if bar == nil {
				fmt.Fprintln(os.Stderr, text)
				continue
			}
			bar.Describe(text)
			_ = bar.Add(1)
		}
	}
}

func (p *progress) text(packages int) string {
	text := fmt.Sprintf("%s: %s", p.what, time.Since(p.started).Round(time.Second))
	if packages > 0 {
		text += fmt.Sprintf(", %d packages compiled", packages)
	}
	return text
}
