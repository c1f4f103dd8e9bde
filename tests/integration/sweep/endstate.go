package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"carry/internal/controlplane"
)

// objects are the names of what is there now, as "RESOURCE NAMESPACE/NAME"
// with {} for what differs from start to start; sorted, each once.
func (p *plane) objects(ctx context.Context) ([]string, error) {
	var all []string
	for _, path := range p.component.made {
		code, data, err := p.Request(ctx, http.MethodGet, path, nil)
		if err != nil {
			return nil, err
		}
		if code != http.StatusOK {
			return nil, fmt.Errorf("list %s: %d", path, code)
		}
		names, err := p.component.objectNames(path, data)
		if err != nil {
			return nil, err
		}
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func (c component) objectNames(path string, data []byte) ([]string, error) {
	var list struct {
		Items []struct {
			Metadata struct{ Namespace, Name string }
		}
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("decode list of %s: %w", path, err)
	}
	resource := path[strings.LastIndex(path, "/")+1:]
	var names []string
	for _, item := range list.Items {
		namespace, name := item.Metadata.Namespace, varies.ReplaceAllString(item.Metadata.Name, "{}")
		switch {
		case resource == "namespaces" && !c.system(name):
			name = "{}"
		case namespace != "" && !c.system(namespace):
			namespace = "{}"
		}
		names = append(names, strings.TrimPrefix(resource+" "+namespace+"/"+name, " "))
	}
	return names, nil
}

// sameEnd waits until all is there that every start without a fault leaves.
func sameEnd(ctx context.Context, objects func(context.Context) ([]string, error), process *controlplane.Process, want []string) error {
	var missing string
	err := controlplane.Poll(ctx, "the end state of a start without a fault", quiet/5,
		func(ctx context.Context) (bool, string, error) {
			have, err := objects(ctx)
			missing = strings.Join(without(want, have), ", ")
			return err == nil && missing == "", missing, err
		}, process)
	var late *controlplane.TimeoutError
	if errors.As(err, &late) {
		return &stuckError{"not made: " + missing, err}
	}
	return err
}

// without are those of the first list that the second, which is sorted, has not.
func without(all, have []string) []string {
	var rest []string
	for _, s := range all {
		if _, found := slices.BinarySearch(have, s); !found {
			rest = append(rest, s)
		}
	}
	return rest
}

// fewConnections waits until the component has no more of them open than the
// most of base's starts without a fault. What it no longer needs it may keep
// for a while.
func fewConnections(ctx context.Context, connections func() int, process *controlplane.Process, most int) error {
	var open int
	err := controlplane.Poll(ctx, "connections to be closed", quiet/5,
		func(context.Context) (bool, string, error) {
			open = connections()
			return open <= most, fmt.Sprint(open), nil
		}, process)
	var late *controlplane.TimeoutError
	if errors.As(err, &late) {
		return &stuckError{fmt.Sprintf("%d connections, base has at most %d", open, most), err}
	}
	return err
}
