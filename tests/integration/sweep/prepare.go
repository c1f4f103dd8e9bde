package sweep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"carry/tests/integration"
)

// lessGC is the environment of everything that a sweep starts, on both sides:
// memory is easier to have than CPU.
const lessGC = "GOGC=400"

// prepare checks everything that can be checked before something is started.
func prepare(o Options, out io.Writer) (*sweep, error) {
	choice, err := o.choice()
	if err != nil {
		return nil, err
	}
	if o.Root, err = filepath.Abs(o.Root); err != nil {
		return nil, fmt.Errorf("find repository: %w", err)
	}
	of, err := componentNamed(o.Component)
	if err != nil {
		return nil, err
	}
	if o.Stream, err = o.findStream(of.name); err != nil {
		return nil, err
	}
	if err := o.checkPorts(); err != nil {
		return nil, err
	}
	if o.Cell != "" {
		c, err := parseCell(o.Cell)
		if err != nil {
			return nil, err
		}
		if c.Stream != o.Stream {
			return nil, fmt.Errorf("cell %q is of another stream than %s", o.Cell, o.Stream)
		}
	}
	s := &sweep{Options: o, component: of, choice: choice, out: out, runner: &runner{
		component: of, binaries: map[string]string{}, normal: map[string]normal{},
	}}
	s.runCell = s.runner.onPlane
	for _, side := range sides {
		b, err := integration.FindBinaries(o.Root, of.name, o.Stream, side)
		if err != nil {
			return nil, err
		}
		s.runner.binaries[side] = b.Component
		s.config.Etcd, s.config.APIServer = b.Etcd, b.APIServer
		// In a crowd of control planes a second thread of each only looks for work: a quarter of kube-apiserver's time.
		s.config.Env = []string{"GOMAXPROCS=1", lessGC}
	}
	s.subject.Component, s.subject.Stream = of.kept(), o.Stream
	if s.subject.Series, err = integration.BuiltSeries(o.Root, of.name, o.Stream); err != nil {
		return nil, err
	}
	s.dir = o.out(s.subject)
	s.runner.kept = filepath.Join(s.dir, "logs")
	if err := s.findPlan(); err != nil {
		return nil, err
	}
	if o.Cell != "" && len(s.plan.Learned) > 0 {
		_, err = s.plan.Find(o.Cell)
	}
	return s, err
}

// findPlan finds the windows without learning them, if it can.
func (s *sweep) findPlan() (err error) {
	switch {
	case s.Subset != "":
		if s.component.name != kcmName || s.Stream != "1.37" {
			return fmt.Errorf("the short subset is of %s 1.37, not of %s %s", kcmName, s.component.name, s.Stream)
		}
		s.plan, err = shortPlan(s.subject.Series)
		return err
	case s.Plan != "":
		s.plan, err = readPlan(s.Plan, s.subject)
		return err
	}
	s.plan, err = readPlan(s.planFile(), s.subject)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func (s *sweep) planFile() string { return filepath.Join(s.dir, "plan.json") }
