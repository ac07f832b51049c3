package specs_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"watchpost/specs/process"
)

// inCluster are the scripts that every run repeats on three nodes: sign-in, sessions,
// allowances, placement by key and by token. WATCHPOST_TEST_STORE=cluster repeats all.
var inCluster = []string{"auth-verify-otp.txtar", "errors.txtar", "extension-poll.txtar", "send-message.txtar", "team-isolation.txtar"}

// onOneNode are the scripts about one process.
var onOneNode = map[string]string{
	"extension-socket.txtar": "connections before hello are counted per node",
	"keep-posts.txtar":       "a pass when the only process starts; nodes that start leave teams that move to the daily pass",
}

// TestSpecsInCluster runs scripts on three nodes with one database. Each request goes
// to the next node.
func TestSpecsInCluster(t *testing.T) {
	runScripts(t, testscript.Params{Files: scriptsOn(t, "cluster", inCluster, onFiles, onOneNode), Setup: func(env *testscript.Env) error {
		w, err := worldOnDatabase(env)
		if err != nil {
			return err
		}
		w.variables = append(w.variables, "WATCHPOST_MASTER_KEY=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
		w.others, err = newOtherNodes(w.dir)
		return err
	}})
}

// clusterNodes is how many nodes a cluster of a script has.
const clusterNodes = 3

// otherNodes are the nodes of a cluster after the first; the zero value is none.
type otherNodes struct {
	cert, key string
	advertise []string // of all nodes
	listen    []string // of the others
	processes []*process.Process
}

func newOtherNodes(dir string) (o otherNodes, err error) {
	o.cert, o.key = filepath.Join(dir, "node.pem"), filepath.Join(dir, "node.key")
	for range 2*clusterNodes - 1 {
		address, err := process.FreeAddress()
		if err != nil {
			return o, err
		}
		if len(o.advertise) < clusterNodes {
			o.advertise = append(o.advertise, address)
		} else {
			o.listen = append(o.listen, address)
		}
	}
	return o, process.WriteCertificate(o.cert, o.key)
}

// arguments returns the flags that make a service the node of a number.
func (o *otherNodes) arguments(i int) []string {
	if len(o.advertise) == 0 {
		return nil
	}
	return []string{"--cluster", "--advertise", o.advertise[i], "--cluster-cert", o.cert, "--cluster-key", o.key, "--cluster-ca", o.cert, "--drain-time", "0s"}
}

// start starts the other nodes with the arguments of the first.
func (o *otherNodes) start(w *world) error {
	o.processes = nil
	for i, listen := range o.listen {
		p, err := launchWith(w.variables, fmt.Sprintf("node %d", i+1), w.dir, append(append(w.serviceArg, o.arguments(i+1)...), "--listen", listen)...)
		if err != nil {
			return err
		}
		o.processes = append(o.processes, w.logs.watch(p))
	}
	for _, p := range o.processes {
		if _, err := p.URL(); err != nil {
			return err
		}
	}
	return nil
}

func (o *otherNodes) stop() error {
	var failures []error
	for _, p := range o.processes {
		failures = append(failures, p.Stop())
	}
	o.processes = nil
	return errors.Join(failures...)
}

func (o *otherNodes) kill() {
	for _, p := range o.processes {
		p.Kill()
	}
	o.processes = nil
}

// urls returns the addresses of all nodes.
func (w *world) urls() []string {
	urls := []string{w.serviceURL}
	for i := range w.others.processes {
		urls = append(urls, "http://"+w.others.listen[i])
	}
	return urls
}

// anyURL returns the address of the next node.
func (w *world) anyURL() string {
	urls := w.urls()
	return urls[int(w.turn.Add(1))%len(urls)]
}

// logged returns a line of a node's log that contains a text.
func (w *world) logged(text string) (line string, found bool) {
	line, found = w.service.Logged(text)
	for _, p := range w.others.processes {
		if !found {
			line, found = p.Logged(text)
		}
	}
	return line, found
}
