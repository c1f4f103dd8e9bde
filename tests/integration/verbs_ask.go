package integration

import (
	"context"
	"fmt"
	"strconv"

	"carry/internal/controlplane"
)

// ask gets a path of the component itself until it answers with a status;
// negated, asks once and wants another status or none. With a name it asks as
// a front proxy of that name on behalf of an administrator; forged, as somebody
// who only claims to be one.
func (r *run) ask(c call) error {
	if r.component == nil {
		return errNotStarted
	}
	want, err := strconv.Atoi(c.args[1])
	if err != nil {
		return fmt.Errorf("status: %w", err)
	}
	if c.neg {
		return r.askOnce(c, want)
	}
	ctx, cancel := r.limited()
	defer cancel()
	answers := func(ctx context.Context) (bool, string, error) {
		code, err := r.askLimited(ctx, c)
		return code == want, fmt.Sprintf("status %d, %v", code, err), nil
	}
	if err := controlplane.Poll(ctx, fmt.Sprintf("%s to answer %d", c.args[0], want), pollTick, answers, r.expected()...); err != nil {
		return err
	}
	r.note("ask", c.args, "")
	return nil
}

func (r *run) askOnce(c call, unwanted int) error {
	if err := r.component.Running(); err != nil {
		return err
	}
	if code, _ := r.askLimited(r.ctx, c); code == unwanted {
		return wrongf("%s answers %d", c.args[0], code)
	}
	return nil
}

func (r *run) askLimited(ctx context.Context, c call) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	path, name := c.args[0], ""
	if len(c.args) == 3 {
		name = c.args[2]
	}
	if c.has("-forged") {
		return r.plane.AskComponentForged(ctx, path, name)
	}
	return r.plane.AskComponent(ctx, path, name)
}
