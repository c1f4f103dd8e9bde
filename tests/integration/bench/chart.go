package bench

import (
	"fmt"
	"math"
)

// Measures of the chart in units of its own; it is drawn as wide as the page,
// so that a unit is about a pixel on a phone.
const (
	chartWidth = 360
	chartLeft  = 48 // for the names of the outages
	chartRight = 56 // for the figures behind the longest bars
	barHeight  = 14
	groupSpace = 14
	axisHeight = 22
)

// chart is horizontal bars on a logarithmic scale of seconds: base above
// patched for each outage, with a mark where patched's bound is.
type chart struct {
	Width, Height int
	Bottom        int // of the bars
	Groups        []group
	Ticks         []tick
}

type group struct {
	Name string
	Y    int // of its middle
	Bars []bar
}

type bar struct {
	Side  string
	Title string
	X, Y  float64
	Width float64
	High  int
	Text  string
	TextX float64
	TextY float64
	Bound float64 // where the mark stands; 0: none
}

type tick struct {
	X    float64
	Text string
}

// scale turns seconds into units: whole powers of ten from low on.
type scale struct{ low, high float64 }

// newScale holds all values; those of no time at all stand at its beginning.
func newScale(values []float64) scale {
	s := scale{low: 1, high: 10}
	for _, v := range values {
		for v > s.high {
			s.high *= 10
		}
		for v > 0 && v < s.low && s.low > 0.01 {
			s.low /= 10
		}
	}
	return s
}

// at is the place of a value, from 0 to the width of the bars.
func (s scale) at(v float64) float64 {
	part := math.Log10(max(v, s.low)/s.low) / math.Log10(s.high/s.low)
	return math.Round(part*(chartWidth-chartLeft-chartRight)*10) / 10
}

func (s scale) ticks() []tick {
	var ticks []tick
	for v := s.low; v < s.high*1.5; v *= 10 {
		ticks = append(ticks, tick{chartLeft + s.at(v), fmt.Sprintf("%.4g s", v)})
	}
	return ticks
}

// newChart draws what there is; the other side of an outage that lacks one
// says so.
func newChart(recoveries []Recovery) chart {
	var values []float64
	for _, r := range recoveries {
		values = append(values, r.Seconds, r.Bound)
	}
	s := newScale(values)
	c := chart{Width: chartWidth, Ticks: s.ticks()}
	y := 4
	for _, a := range absences {
		g := group{Name: fmt.Sprintf("%.0f s", a.length.Seconds()), Y: y + barHeight}
		for i, side := range sides {
			g.Bars = append(g.Bars, newBar(s, recoveries, a, side, float64(y+i*barHeight)))
		}
		c.Groups = append(c.Groups, g)
		y += len(sides)*barHeight + groupSpace
	}
	c.Bottom = y - groupSpace/2
	c.Height = c.Bottom + axisHeight
	return c
}

func newBar(s scale, recoveries []Recovery, a absence, side string, y float64) bar {
	b := bar{Side: side, X: chartLeft, Y: y, High: barHeight - 1, Text: "not measured", TextX: chartLeft + 4, TextY: y + barHeight - 3}
	for _, r := range recoveries {
		if r.Side != side || r.Outage != a.length.Seconds() {
			continue
		}
		b.Width = s.at(r.Seconds)
		b.Text = fmt.Sprintf("%.1f s", r.Seconds)
		b.Title = fmt.Sprintf("%s, outage of %s: %s", side, a.length, r.say())
		end := b.Width
		if r.Bound > 0 {
			b.Bound = chartLeft + s.at(r.Bound)
			end = max(end, b.Bound-chartLeft)
		}
		b.TextX = chartLeft + end + 4
	}
	return b
}
