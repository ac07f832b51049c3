package sim

import (
	"os/exec"
	"strings"
)

// commitOf names the commit of the working tree: a seed holds for one alone.
func commitOf() string {
	name, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(name))
}
