package component

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Origin is what an image says of the source of its binary.
type Origin struct {
	Commit string    // of a checkout, or of a pin that names one; else empty
	Date   time.Time // of the newest patch; of upstream's commit when there is none
}

// Origin of the tree as the series left it. Its date is the same wherever the tree was made.
func (s *Stream) Origin(ctx context.Context, t *Tree) (Origin, error) {
	out, err := t.repo.Run(ctx, "show", "--no-patch", "--format=%ct", "HEAD")
	if err != nil {
		return Origin{}, fmt.Errorf("date of %s: %w", t.Dir, err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil {
		return Origin{}, fmt.Errorf("date of %s: %w", t.Dir, err)
	}
	return Origin{Commit: t.base.upstream(s), Date: time.Unix(seconds, 0).UTC()}, nil
}

func (b *pinBase) upstream(s *Stream) string { return s.Pin.Commit() }

func (b *sourceBase) upstream(*Stream) string { return b.commit }

// FromSource says whether the tree is made from a checkout and not from the pin.
func (t *Tree) FromSource() bool {
	_, ok := t.base.(*sourceBase)
	return ok
}
