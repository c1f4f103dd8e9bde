package sweep

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"
)

// progressTick is how often the count is printed.
const progressTick = 15 * time.Second

// progress tells how far a sweep is.
type progress struct {
	out    io.Writer
	total  int
	planes []*plane
	begun  time.Time
	cpu    time.Duration

	mu       sync.Mutex
	finished int
	printed  time.Time
	measured bool
}

func newProgress(out io.Writer, total int, planes []*plane) *progress {
	now := time.Now()
	fmt.Fprintf(out, "%d cells on %d control planes\n", total, len(planes))
	return &progress{out: out, total: total, planes: planes, begun: now, printed: now, cpu: spent(planes)}
}

func (p *progress) done(r Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished++
	if bad(r) {
		fmt.Fprintf(p.out, "BAD %s: %s\n", r.Cell, r.say())
	}
	if !p.measured && p.finished >= 2*len(p.planes) { // the first ones all start at once
		p.measured = true
		fmt.Fprintf(p.out, "CPU per cell: %.1f s, %d cores; all cells need %s of CPU\n",
			p.perCell(), runtime.NumCPU(), (time.Duration(p.perCell()*float64(p.total)) * time.Second).Round(time.Second))
	}
	if time.Since(p.printed) >= progressTick {
		p.printed = time.Now()
		left := time.Duration(float64(time.Since(p.begun)) / float64(p.finished) * float64(p.total-p.finished))
		fmt.Fprintf(p.out, "%d/%d cells, about %s left\n", p.finished, p.total, left.Round(time.Second))
	}
}

func (p *progress) perCell() float64 {
	return (spent(p.planes) - p.cpu).Seconds() / float64(max(p.finished, 1))
}

// end says what the cells took.
func (p *progress) end() Took {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := Took{
		Cells: p.finished, Seconds: time.Since(p.begun).Round(time.Second).Seconds(),
		CPU: (spent(p.planes) - p.cpu).Round(time.Second).Seconds(), Cores: runtime.NumCPU(),
	}
	fmt.Fprintf(p.out, "%d planned; %s\n", p.total, took)
	return took
}
