package bench

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// exampleReport is of a whole run in which all claims hold.
func exampleReport() *Report {
	r := &Report{Stream: "1.37", Series: "abc", Start: restart, Seed: 1}
	var pairs []Pair
	for i := range leastPairs {
		pairs = append(pairs, Pair{Base: 4, Patched: 4 + float64(i%3)/10, First: sides[i%2]})
	}
	r.Startup = newStartup(pairs, compareRequests([][]string{{"GET /api", "GET /x?<>"}, {"GET /api"}}, [][]string{{"GET /api"}}), 1)
	for i, a := range absences {
		r.Recovery = append(r.Recovery,
			Recovery{Side: base, Outage: a.length.Seconds(), Factor: a.factor, Seconds: 10 * float64(i+1), Restarts: i + 1, LongestBackOff: 40},
			Recovery{Side: patched, Outage: a.length.Seconds(), Factor: a.factor, Seconds: 5, Bound: bound(r.Startup, false), Lines: 2})
	}
	for _, s := range strains {
		for _, side := range sides {
			l := Load{Side: side, Phase: s.phase, Fault: s.fault, Wait: 15, After: 200, Peak: 80, Seconds: 4, RSSFunctional: 90, Connections: 3}
			if s.fault != "" {
				l.Dials = &Dials{All: 16, First: 4, Rate: 0.86}
			}
			if s.phase == atStart {
				l.Healthy = 1
			}
			r.Load = append(r.Load, l)
		}
	}
	return r
}

func TestClaims(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(*Report)
		want  string // results in order: holds, fails, unknown
	}{
		{"all", func(*Report) {}, "hhhhhhhhhh"},
		{"restarted", func(r *Report) { r.Recovery[1].Restarts = 1 }, "fhhhhhhhhh"},
		{"late", func(r *Report) { r.Recovery[1].Seconds = r.Recovery[1].Bound + 0.1 }, "hhfhhhhhhh"},
		{"no recovery", func(r *Report) { r.Recovery = r.Recovery[:9] }, "uhuhhuhhhh"},
		{"late after 503", func(r *Report) { loaded(r, running, "unavailable", patched).Seconds = bound(r.Startup, true) + 0.1 }, "hhfhhhhhhh"},
		{"unhealthy", func(r *Report) { loaded(r, atStart, "tls-hang", patched).Healthy = 3.1 }, "hfhhhhhhhh"},
		{"health not seen", func(r *Report) { loaded(r, atStart, "tls-hang", patched).Healthy = 0 }, "huhhhhhhhh"},
		{"slow", func(r *Report) { r.Startup.High = 1.101 }, "hhhfhhhhhh"},
		{"few pairs", func(r *Report) { r.Startup.Pairs = r.Startup.Pairs[:leastPairs-1] }, "hhhuhhhhhh"},
		{"other requests", func(r *Report) { r.Startup.Requests.Differences[0].Kind = onlyPatched }, "hhhhfhhhhh"},
		{"no start-up", func(r *Report) { r.Startup = nil }, "hhuuuhhhhh"},
		{"talks", func(r *Report) { r.Recovery[1].Lines = 3 }, "hhhhhfhhhh"},
		{"says nothing", func(r *Report) { r.Recovery[9].Lines = 1 }, "hhhhhfhhhh"},
		{"dials", func(r *Report) { loaded(r, running, "refused", patched).Dials.Rate = 1.1 }, "hhhhhhfhhh"},
		{"dials of base", func(r *Report) { loaded(r, running, "refused", base).Dials.Rate = 9 }, "hhhhhhhhhh"},
		{"dials not counted", func(r *Report) { loaded(r, running, "refused", patched).Dials = nil }, "hhhhhhuhhh"},
		{"asks more", func(r *Report) { loaded(r, running, "unavailable", patched).Requests = 9 }, "hhhhhhhfhh"},
		{"base gone", func(r *Report) {
			loaded(r, running, "unavailable", base).Exit = "code 1"
			loaded(r, atStart, "unavailable", base).Exit = "code 1"
		}, "hhhhhhhuhh"},
		{"burst", func(r *Report) { loaded(r, atStart, "tls-hang", patched).After = 241 }, "hhhhhhhhfh"},
		{"connections", func(r *Report) { loaded(r, atStart, "tls-hang", patched).Connections = 4 }, "hhhhhhhhhf"},
	}
	for _, test := range tests {
		r := exampleReport()
		test.spoil(r)
		r.finish(nil, nil)
		got := ""
		for _, c := range r.Claims {
			got += map[string]string{holds: "h", fails: "f", unknown: "u"}[c.Result]
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func loaded(r *Report, phase, fault, side string) *Load { return r.loadOf(strain{phase, fault}, side) }

func TestReportThroughJSON(t *testing.T) {
	t.Parallel()
	r := exampleReport()
	r.finish([]string{"a", "b"}, map[string]bool{"a": true})
	dir := t.TempDir()
	if err := record(r, dir, "1.37"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "bench-1.37.json"))
	if err != nil {
		t.Fatal(err)
	}
	var again Report
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, &again); diff != "" {
		t.Errorf("the report has changed on its way through JSON:\n%s", diff)
	}
	if !bytes.Contains(data, []byte("GET /x?<>")) {
		t.Error("JSON writes what people read as escapes")
	}
	if bytes.Contains(data, []byte("null")) {
		t.Error("JSON has a null")
	}
}

func TestMissingIsNamed(t *testing.T) {
	t.Parallel()
	r := &Report{Outcome: Outcome{Troubles: []string{"load: broke"}}}
	r.finish([]string{"a", "b", "c"}, map[string]bool{"a": true})
	if diff := cmp.Diff([]string{"b", "c"}, r.Missing); diff != "" {
		t.Error(diff)
	}
	if err := r.incomplete(); err == nil || !strings.Contains(err.Error(), "first is b") || !strings.Contains(err.Error(), "load: broke") {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{"Missing\n  b\n  c\n", "load: broke"} {
		if !strings.Contains(r.table(), want) {
			t.Errorf("the table has no %q:\n%s", want, r.table())
		}
	}
	whole := exampleReport()
	whole.finish(nil, nil)
	if err := errors.Join(whole.incomplete(), whole.broken()); err != nil {
		t.Errorf("of a whole run: %v", err)
	}
}

func TestBrokenContractIsNamed(t *testing.T) {
	t.Parallel()
	r := exampleReport()
	r.Recovery[1].Restarts = 1
	r.Load = nil // what is unknown is missing, and not broken
	r.finish(nil, nil)
	err := r.broken()
	if err == nil || !strings.HasPrefix(err.Error(), "K1 does not hold: patched is never restarted") || strings.Count(err.Error(), "does not hold") != 1 {
		t.Errorf("error %v", err)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	r := exampleReport()
	r.Recovery[1].Seconds = 99
	loaded(r, atStart, "refused", base).Exit = "code 1"
	r.finish(nil, nil)
	table := r.table()
	for _, want := range []string{
		`(?m)^  1 s +1 +10\.0 s +1 +40 s +99\.0 s +7\.1 s +NO$`,
		`(?m)^  1200 s +16 +50\.0 s +5 +40 s +5\.0 s +7\.1 s +yes$`,
		`(?m)^  20 +4\.00 s +4\.10 s +1\.025 +\d\.\d{3} to \d\.\d{3}$`,
		`(?m)^  GET /x\?<> +1/2 +0/1 +some starts *$`,
		`(?m)^  refused +start +base +16 +4 +0\.86 .* 1\.0 s .* code 1 after 15\.0 s$`,
		`(?m)^  does not hold +bound `,
	} {
		if !regexp.MustCompile(want).MatchString(table) {
			t.Errorf("no line like %s in\n%s", want, table)
		}
	}
}

var drawing = regexp.MustCompile(`(?s)<svg.*</svg>`)

func TestPage(t *testing.T) {
	t.Parallel()
	r := exampleReport()
	r.Recovery = r.Recovery[:9] // the last has no patched side
	r.finish([]string{"a <thing>"}, nil)
	page, err := r.html()
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{
		`name="viewport"`, `id="legend"`, "a &lt;thing&gt;", "GET /x?&lt;&gt;", "not measured", `class="holds"`, `class="unknown"`, "1200 s", `id="claims"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, foreign := range []string{"src=", "href=", "@import", "url(", "<script"} {
		if strings.Contains(text, foreign) {
			t.Errorf("the page has %s: something from elsewhere", foreign)
		}
	}
	svg := drawing.FindString(text)
	decoder := xml.NewDecoder(strings.NewReader(svg))
	elements := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the chart is no XML: %v", err)
		}
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
	if elements < 30 {
		t.Errorf("the chart has %d elements", elements)
	}
}

func TestScale(t *testing.T) {
	t.Parallel()
	s := newScale([]float64{0.4, 120, 0})
	if s.low != 0.1 || s.high != 1000 {
		t.Fatalf("scale from %v to %v, want 0.1 to 1000", s.low, s.high)
	}
	width := float64(chartWidth - chartLeft - chartRight)
	for v, want := range map[float64]float64{0: 0, 0.1: 0, 1: width / 4, 10: width / 2, 100: 3 * width / 4, 1000: width} {
		if got := s.at(v); got != want {
			t.Errorf("%v s at %v, want %v", v, got, want)
		}
	}
	var names []string
	for _, tick := range s.ticks() {
		names = append(names, tick.Text)
	}
	if diff := cmp.Diff([]string{"0.1 s", "1 s", "10 s", "100 s", "1000 s"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestChart(t *testing.T) {
	t.Parallel()
	r := exampleReport()
	c := newChart(r.Recovery[:9])
	if len(c.Groups) != len(absences) {
		t.Fatalf("%d groups", len(c.Groups))
	}
	wide := 0.0
	for i, g := range c.Groups {
		b, p := g.Bars[0], g.Bars[1]
		if b.Side != base || b.Width <= wide {
			t.Errorf("%s: bar of %s is %v wide, the one before %v", g.Name, b.Side, b.Width, wide)
		}
		wide = b.Width
		if i == len(c.Groups)-1 {
			if p.Width != 0 || p.Text != "not measured" {
				t.Errorf("%s: a bar of what was not measured: %+v", g.Name, p)
			}
			continue
		}
		if p.Bound <= p.X+p.Width || p.TextX <= p.Bound {
			t.Errorf("%s: bar to %v, bound at %v, text from %v", g.Name, p.X+p.Width, p.Bound, p.TextX)
		}
		if b.Y+float64(b.High) > p.Y || p.Y+float64(p.High) > float64(c.Bottom) {
			t.Errorf("%s: bars overlap, or leave the chart", g.Name)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	good := Options{Root: "../../..", Stream: "1.37", Start: restart, Pairs: 20, Workers: 4}
	tests := []struct {
		name  string
		spoil func(*Options)
		want  string // part of the error; empty: none
	}{
		{"good", func(*Options) {}, ""},
		{"parts", func(o *Options) { o.Only = "load,recovery" }, ""},
		{"stream", func(o *Options) { o.Stream = "1.1" }, "no stream"},
		{"start", func(o *Options) { o.Start = "cold" }, "no start"},
		{"section", func(o *Options) { o.Only = "load,x" }, `no section "x"`},
		{"pairs", func(o *Options) { o.Pairs = 0 }, "0 pairs"},
		{"workers", func(o *Options) { o.Workers = 0 }, "0 workers"},
		{"component", func(o *Options) { o.Component = "kubelet" }, "no bench of component"},
		{"operator", func(o *Options) { o.Component, o.Stream = operator, "" }, ""},
		{"start of the operator", func(o *Options) { o.Component, o.Stream, o.Start = operator, "4.11", fresh }, "it has one kind"},
		{"section of another", func(o *Options) { o.Only = sectionHandover }, "no section"},
	}
	for _, test := range tests {
		o := good
		test.spoil(&o)
		err := o.check()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
	if !good.whole() {
		t.Error("a run of everything is not whole")
	}
	part := good
	part.Only = sectionLoad
	if part.whole() {
		t.Error("a part is whole")
	}
	if good.Start = fresh; good.name() != "1.37-fresh" {
		t.Errorf("name %s", good.name())
	}
	if o := (Options{Component: operator, Stream: "4.11"}); o.name() != "cluster-version-operator-4.11" {
		t.Errorf("name %s", o.name())
	}
}
