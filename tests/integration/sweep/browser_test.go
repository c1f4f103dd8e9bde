package sweep

import (
	"context"
	"fmt"
	"html"
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
	dom := openPage(t, browser, dir)
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

// told is put into the page by the test alone: whether it is as wide as its
// window, and the totals need no scrolling. The page is then told to the one
// around it.
const told = `<script>
	const root = document.documentElement, totals = document.getElementById("totals").parentElement
	root.dataset.fits = root.scrollWidth <= window.innerWidth && document.querySelectorAll("tbody tr").length > 5
	root.dataset.totals = totals.scrollWidth <= totals.clientWidth
	parent.postMessage(root.outerHTML, "*")
</script>`

// phone is a window of a phone's size; a browser's own cannot be so narrow.
const phone = `<!DOCTYPE html><iframe src="sweep.html" width="390" height="844"></iframe><script>
	window.onmessage = (told) => { document.body.textContent = told.data }
</script>`

// openPage gives what the browser has made of the page in a folder.
func openPage(t *testing.T, browser, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "sweep.html")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	around := filepath.Join(dir, "phone.html")
	for name, content := range map[string]string{file: string(page) + told, around: phone} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=10000", "--dump-dom", "file://"+around)
	cmd.WaitDelay = time.Second
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("open page in chromium: %v", err)
	}
	return html.UnescapeString(string(dom))
}
