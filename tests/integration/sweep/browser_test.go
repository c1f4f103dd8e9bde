package sweep

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPageInBrowser opens the page as wide as a phone. Without Chromium, which
// the distribution has, it says so; a CI that has none would test nothing.
func TestPageInBrowser(t *testing.T) {
	t.Parallel()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("chromium is not installed: 1 browser test not run\nnext: apt-get install chromium")
		}
		fmt.Println("chromium is not installed: 1 browser test skipped\nnext: apt-get install chromium")
		t.Skip("no chromium")
	}
	dir := t.TempDir()
	if err := exampleReport(t).write(dir); err != nil {
		t.Fatal(err)
	}
	dom := openPage(t, browser, filepath.Join(dir, "sweep.html"))
	for _, want := range []string{
		`id="legend"`, "survived, and worked", `id="matrix-restart"`, `id="matrix-fresh"`, "<summary>exit 1</summary>",
		"connection refused &lt;x&gt;", "GET /api/v1/namespaces/kube-system/serviceaccounts/a #1", "Without a result",
		`id="stalled"`, "the machine stalled for more than 2 s",
		`data-fits="true"`, `data-totals="true"`,
	} {
		if !strings.Contains(dom, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if rows := strings.Count(dom, "<tr>"); rows < 2*3 {
		t.Errorf("%d rows", rows)
	}
}

// fits is put in by the test alone: whether the page is as wide as the window,
// and the totals need no scrolling.
const fits = `<script>
	const root = document.documentElement, totals = document.getElementById("totals").parentElement
	root.dataset.fits = root.scrollWidth <= window.innerWidth && document.querySelectorAll("tbody tr").length > 5
	root.dataset.totals = totals.scrollWidth <= totals.clientWidth
</script>`

func openPage(t *testing.T, browser, file string) string {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(page, fits...), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+t.TempDir(), "--window-size=390,844", "--dump-dom", "file://"+file)
	cmd.WaitDelay = time.Second
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("open page in chromium: %v", err)
	}
	return string(dom)
}
