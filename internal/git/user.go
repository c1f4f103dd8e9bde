package git

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// User is who runs carry, as their own git configuration says it. This is the one place where that configuration is
// wanted: a sign-off is a statement of that person.
func User(ctx context.Context, dir string) (name, email string, err error) {
	for key, value := range map[string]*string{"user.name": &name, "user.email": &email} {
		cmd := exec.CommandContext(ctx, "git", "config", "--get", key)
		cmd.Dir = dir
		out, _ := cmd.Output()
		*value = strings.TrimSpace(string(out))
	}
	if name == "" || email == "" {
		return "", "", fmt.Errorf("read git configuration: no user.name and user.email to sign off with\nnext: git config --global user.name NAME && git config --global user.email ADDRESS")
	}
	return name, email, nil
}
