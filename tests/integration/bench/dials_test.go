package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"carry/internal/controlplane"
)

// TestDialsAreCounted dials a port that refuses, then one that listens, and
// meanwhile others that are none of its business.
func TestDialsAreCounted(t *testing.T) {
	t.Parallel()
	port, err := controlplane.HoldPort("::1")
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	d, err := countDials(uint16(port.Number))
	if errors.Is(err, syscall.EPERM) && os.Getenv("CI") == "" {
		fmt.Println("no CAP_NET_RAW: 1 test of counting dials skipped\nnext: run as root")
		t.Skip("no CAP_NET_RAW")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	select {
	case <-d.first:
		t.Error("a first dial before there was any")
	default:
	}
	begin := time.Now()
	address := net.JoinHostPort("::1", strconv.Itoa(port.Number))
	for range 3 {
		if _, err := net.Dial("tcp6", address); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("dial: %v, want connection refused", err)
		}
	}
	other, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	d.waitFirst(t.Context())
	dialAndTalk(t, other)
	wantDials(t, d, begin, 3)

	open, err := countDials(uint16(other.Addr().(*net.TCPAddr).Port))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	dialAndTalk(t, other)
	dialAndTalk(t, other)
	wantDials(t, open, begin, 2)
	wantDials(t, d, begin, 0) // since the last time
}

// dialAndTalk also sends and closes, and returns when that has come: packets
// that are no dials.
func dialAndTalk(t *testing.T, l net.Listener) {
	t.Helper()
	c, err := net.Dial("tcp6", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if data, err := io.ReadAll(other); err != nil || string(data) != "hello" {
		t.Fatalf("read %q: %v", data, err)
	}
}

// wantDials wants so many to have come since the last time it was asked. The
// kernel's count is there at once and tells of too many.
func wantDials(t *testing.T, d *dialCounter, begin time.Time, want int) {
	t.Helper()
	raw, err := d.file.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var came *unix.TpacketStats
	var failed error
	err = raw.Control(func(fd uintptr) {
		came, failed = unix.GetsockoptTpacketStats(int(fd), unix.SOL_PACKET, unix.PACKET_STATISTICS)
	})
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	if int(came.Packets) != want {
		t.Errorf("%d packets, want %d", came.Packets, want)
	}
	seen := func(context.Context) (bool, string, error) {
		n := len(d.between(begin, time.Now()))
		return n >= want, fmt.Sprint(n, " dials"), nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := controlplane.Poll(ctx, fmt.Sprint(want, " dials"), time.Millisecond, seen); err != nil {
		t.Fatal(err)
	}
}

func TestDialsOf(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	at := func(ms ...int) (times []time.Time) {
		for _, m := range ms {
			times = append(times, begin.Add(time.Duration(m)*time.Millisecond))
		}
		return times
	}
	end := begin.Add(15 * time.Second)
	tests := []struct {
		name  string
		times []time.Time
		end   time.Time
		want  Dials
	}{
		{"none", nil, end, Dials{}},
		{"one a second", at(4000, 4100, 4999, 5001, 6000, 7000, 8000, 9000), end, Dials{All: 8, First: 3, Rate: 0.5}},
		{"too short for a rate", at(0, 500, 1200, 1300), begin.Add(1400 * time.Millisecond), Dials{All: 4, First: 2}},
		{"over at once", at(0, 500), begin.Add(600 * time.Millisecond), Dials{All: 2, First: 2}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(&test.want, dialsOf(test.times, test.end)); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
}

func TestConnectionsIn(t *testing.T) {
	t.Parallel()
	const table = `  sl  local_address                         remote_address                        st tx_queue rx_queue
   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000
   1: 00000000000000000000000001000000:A0B0 00000000000000000000000001000000:1F90 01 00000000:00000000
   2: 00000000000000000000000001000000:1F90 00000000000000000000000001000000:A0B0 01 00000000:00000000
   3: 00000000000000000000000001000000:A0B4 00000000000000000000000001000000:1F90 01 00000000:00000000
   4: 00000000000000000000000001000000:1F90 00000000000000000000000001000000:A0B4 08 00000000:00000000
   5: 00000000000000000000000001000000:A0B2 00000000000000000000000001000000:1F90 06 00000000:00000000
`
	if n := connectionsIn(table, 8080); n != 2 {
		t.Errorf("%d connections, want 2: the client's end of each open one", n)
	}
}

func TestRSS(t *testing.T) {
	t.Parallel()
	if own := rss(os.Getpid()); own < 1 || own > 10_000 {
		t.Errorf("this process takes %v MiB", own)
	}
	if gone := rss(-1); gone != 0 {
		t.Errorf("no process takes %v MiB", gone)
	}
}
