package integration

import (
	"flag"
	"fmt"
	"testing"
)

var demoFlag = flag.Bool("demo", false, "let TestDemo tell its story; go test shows it in this folder, elsewhere with -v")

// TestDemo runs the first report's scenario, base beside patched, and tells
// what happened. It fails where the story is not true.
func TestDemo(t *testing.T) {
	if !*demoFlag {
		t.Skip("TestScenarios runs the same scenario; the story is told with -demo")
	}
	s := testSuite(t)
	scenario, err := readScenario("scenarios/kube-controller-manager/namespace-discovery-refused.txtar")
	if err != nil {
		t.Fatal(err)
	}
	stream := target{"kube-controller-manager", "1.37"}
	sides := []*run{s.run(stream, scenario, base), s.run(stream, scenario, patched)}
	t.Run("sides", func(t *testing.T) {
		for _, r := range sides {
			t.Run(string(r.side), func(t *testing.T) {
				t.Parallel()
				s.execute(t, r)
			})
		}
	})
	if t.Failed() {
		return
	}
	lines, err := tell(sides[0], sides[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		fmt.Println(line)
	}
}
