// Package local runs a cluster on one machine for the demonstration and the
// benchmarks: node processes on a database, and one address in front of them.
package local

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"watchpost/internal/atomicfile"
	"watchpost/specs/process"
)

// AdminToken is the bearer token of the nodes' admin API.
const AdminToken = "local-cluster-admin"

// patience bounds the start of a node on a busy machine.
const patience = 2 * time.Minute

// Options describe a cluster.
type Options struct {
	// Binary is the program watchpost.
	Binary string
	// Dir receives a folder for each node, its log and the certificates.
	Dir string
	// StoreURL is the nodes' database.
	StoreURL string
	// Arguments are further arguments of serve.
	Arguments []string
}

// Cluster is a set of node processes. Its methods may be called from several
// goroutines, but the methods of one node from one at a time.
type Cluster struct {
	options Options
	client  *http.Client

	mu    sync.Mutex
	nodes []*Node
}

// Node is a process of the cluster. It keeps its addresses when it is started
// again.
type Node struct {
	Name      string
	Listen    string // for clients
	Advertise string // for the other nodes
	Log       string // file
	PIDFile   string // holds the id of its process

	process *os.Process
	ended   chan struct{} // closed when the process has ended
}

// New prepares a cluster without nodes: it writes the certificate and the master
// key that all nodes share.
func New(options Options) (*Cluster, error) {
	c := &Cluster{options: options, client: &http.Client{Timeout: time.Second, Transport: &http.Transport{}}}
	if err := process.WriteCertificate(c.file("node.pem"), c.file("node.key")); err != nil {
		return nil, err
	}
	key := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	if err := atomicfile.WriteFile(c.file("master.key"), []byte(key)); err != nil {
		return nil, err
	}
	return c, os.Mkdir(c.file("mail"), 0o700)
}

func (c *Cluster) file(name string) string { return filepath.Join(c.options.Dir, name) }

// Add starts one more node at an address for clients and waits until it serves.
func (c *Cluster) Add(ctx context.Context, listen string) (*Node, error) {
	advertise, err := process.FreeAddress()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	name := fmt.Sprintf("node%d", len(c.nodes)+1)
	n := &Node{Name: name, Listen: listen, Advertise: advertise, Log: c.file(name + ".log"), PIDFile: c.file(name + ".pid")}
	c.nodes = append(c.nodes, n)
	c.mu.Unlock()
	if err := os.Mkdir(c.file(name), 0o700); err != nil {
		return nil, err
	}
	// All nodes write their mails to one folder, so that a reader finds a code
	// whichever node has sent it.
	if err := os.Symlink(c.file("mail"), filepath.Join(c.file(name), "mail")); err != nil {
		return nil, err
	}
	return n, c.Start(ctx, n)
}

// attempts bounds the starts of a node that ends before it serves, as it may do
// while the machine is too busy for it to become a member.
const attempts = 3

// Start starts a node that has ended and waits until it serves.
func (c *Cluster) Start(ctx context.Context, n *Node) (err error) {
	for range attempts {
		var ended <-chan struct{}
		if ended, err = c.launch(n); err != nil {
			return err
		}
		if err = c.await(ctx, n, ended); !errors.Is(err, errEnded) {
			return err
		}
	}
	return err
}

func (c *Cluster) launch(n *Node) (<-chan struct{}, error) {
	log, err := os.OpenFile(n.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the node has its own handle
	command := exec.Command(c.options.Binary, append([]string{
		"serve", "--cluster",
		"--listen", n.Listen, "--advertise", n.Advertise, "--data", c.file(n.Name),
		"--master-key-file", c.file("master.key"), "--admin-token", AdminToken,
		"--cluster-cert", c.file("node.pem"), "--cluster-key", c.file("node.key"), "--cluster-ca", c.file("node.pem"),
	}, c.options.Arguments...)...)
	command.Env = append(environment(), "WATCHPOST_STORE="+c.options.StoreURL)
	command.Stdout, command.Stderr = log, log
	// A separate group: Ctrl-C reaches this process only, which ends the nodes.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // its log has the reason
		close(ended)
	}()
	c.mu.Lock()
	n.process, n.ended = command.Process, ended
	c.mu.Unlock()
	return ended, os.WriteFile(n.PIDFile, strconv.AppendInt(nil, int64(command.Process.Pid), 10), 0o600)
}

// environment is that of this process without variables that configure a node.
func environment() (kept []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "WATCHPOST_") {
			kept = append(kept, v)
		}
	}
	return kept
}

var errEnded = errors.New("ended before it served")

// await waits until a node is ready.
func (c *Cluster) await(ctx context.Context, n *Node, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	retry := time.NewTicker(50 * time.Millisecond)
	defer retry.Stop()
	for !ready(ctx, c.client, n.Listen) {
		select {
		case <-retry.C:
		case <-ended:
			return fmt.Errorf("%s %w: see %s", n.Name, errEnded, n.Log)
		case <-ctx.Done():
			return fmt.Errorf("%s does not serve: see %s", n.Name, n.Log)
		}
	}
	return nil
}

// ready asks whether a node takes requests.
func ready(ctx context.Context, client *http.Client, listen string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listen+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close() // the status is enough
	return response.StatusCode == http.StatusOK
}

// Nodes returns a copy of each node.
func (c *Cluster) Nodes() (all []Node) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.nodes {
		all = append(all, *n)
	}
	return all
}

// Ended is closed when the current process of a node has ended.
func (c *Cluster) Ended(n *Node) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return n.ended
}

// Kill ends a node with signal 9 and waits until it has ended.
func (c *Cluster) Kill(n *Node) error { return c.end(n, syscall.SIGKILL) }

// Stop ends a node gracefully and waits until it has ended.
func (c *Cluster) Stop(n *Node) error { return c.end(n, syscall.SIGTERM) }

func (c *Cluster) end(n *Node, signal os.Signal) error {
	c.mu.Lock()
	process, ended := n.process, n.ended
	c.mu.Unlock()
	if process == nil {
		return nil
	}
	if err := process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-ended
	return nil
}

// Close kills all nodes: nothing that they hold is needed.
func (c *Cluster) Close() (err error) {
	c.mu.Lock()
	nodes := c.nodes
	c.mu.Unlock()
	for _, n := range nodes {
		err = errors.Join(err, c.Kill(n))
	}
	c.client.CloseIdleConnections()
	return err
}

// Free returns address, or another one of this machine when its port is in use.
func Free(address string) (string, error) {
	listener, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return process.FreeAddress()
	}
	if err != nil {
		return "", err
	}
	return address, listener.Close()
}

// StoreURL is the nodes' database.
func (c *Cluster) StoreURL() string { return c.options.StoreURL }
