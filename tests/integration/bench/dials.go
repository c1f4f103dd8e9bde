package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A dialCounter notes every attempt to connect to a port of [::1], refused or
// not: the kernel answers a refused one, so that no program on that port can
// count it. It is a packet socket on the loopback device that is handed the
// first packet (SYN) of each, and needs CAP_NET_RAW. Loopback loses no
// packet, so none is sent twice.
type dialCounter struct {
	file  *os.File
	first chan struct{} // closed by the first dial
	over  chan struct{} // closed when nothing is read any more

	mu    sync.Mutex
	times []time.Time
}

// countDials begins to count. The error is EPERM's for who may not.
func countDials(port uint16) (*dialCounter, error) {
	// Protocol 0: nothing comes in before the filter is there.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("count dials: %w", os.NewSyscallError("socket", err))
	}
	if err := listenForSYN(fd, port); err != nil {
		return nil, errors.Join(fmt.Errorf("count dials: %w", err), unix.Close(fd))
	}
	d := &dialCounter{file: os.NewFile(uintptr(fd), "packet socket"), first: make(chan struct{}), over: make(chan struct{})}
	go d.read()
	return d, nil
}

func listenForSYN(fd int, port uint16) error {
	loopback, err := net.InterfaceByName("lo")
	if err != nil {
		return err
	}
	program, err := assembled(port)
	if err != nil {
		return err
	}
	fprog := &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, fprog); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	// One protocol instead of all: only packets that come in, or each would be
	// seen twice on this device.
	to := &unix.SockaddrLinklayer{Protocol: bigEndian(unix.ETH_P_IPV6), Ifindex: loopback.Index}
	return os.NewSyscallError("bind", unix.Bind(fd, to))
}

func bigEndian(v uint16) uint16 {
	return binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, v))
}

// assembled is the filter. Offsets count from the IPv6 header, which has no
// extension on loopback.
func assembled(port uint16) ([]unix.SockFilter, error) {
	const (
		nextHeader = 6
		tcp        = 40
		destPort   = tcp + 2
		flags      = tcp + 13
		syn        = 0x02 // with ACK it goes to the other end's port
	)
	raw, err := bpf.Assemble([]bpf.Instruction{
		bpf.LoadAbsolute{Off: nextHeader, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.IPPROTO_TCP, SkipTrue: 5},
		bpf.LoadAbsolute{Off: destPort, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(port), SkipTrue: 3},
		bpf.LoadAbsolute{Off: flags, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: syn, SkipTrue: 1},
		bpf.RetConstant{Val: 1}, // one byte is enough to be told
		bpf.RetConstant{Val: 0},
	})
	var program []unix.SockFilter
	for _, i := range raw {
		program = append(program, unix.SockFilter{Code: i.Op, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	return program, err
}

func (d *dialCounter) read() {
	defer close(d.over)
	packet := make([]byte, 1)
	for {
		n, err := d.file.Read(packet)
		if n == 1 {
			d.add(time.Now())
		}
		if err != nil { // closed
			return
		}
	}
}

func (d *dialCounter) add(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.times) == 0 {
		close(d.first)
	}
	d.times = append(d.times, now)
}

// waitFirst returns at the first dial, or at the end of ctx; at once where
// dials cannot be counted.
func (d *dialCounter) waitFirst(ctx context.Context) {
	if d == nil {
		return
	}
	select {
	case <-d.first:
	case <-ctx.Done():
	}
}

// between are the dials from one time to another; a nil counter has none.
func (d *dialCounter) between(from, to time.Time) []time.Time {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(d.times), func(t time.Time) bool { return t.Before(from) || !t.Before(to) })
}

// Close ends the counting. A nil counter is fine.
func (d *dialCounter) Close() error {
	if d == nil {
		return nil
	}
	err := d.file.Close()
	<-d.over
	return err
}

// Dials are the attempts to connect while the API was away.
type Dials struct {
	All int `json:"all"`
	// First counts those in the first second from the first dial on: what was
	// in flight at once.
	First int `json:"first"`
	// Rate is of the time after that first second, per second; 0 when there was none.
	Rate float64 `json:"rate"`
}

// dialsOf sums up the dials of a wait that ended at this time.
func dialsOf(times []time.Time, end time.Time) *Dials {
	d := &Dials{All: len(times)}
	if d.All == 0 {
		return d
	}
	second := times[0].Add(time.Second)
	for _, t := range times {
		if t.Before(second) {
			d.First++
		}
	}
	if rest := end.Sub(second).Seconds(); rest >= 1 {
		d.Rate = float64(d.All-d.First) / rest
	}
	return d
}
