// Command watchpost is the service, with all its tools in one binary.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // time zones of members, for a container that has none

	"github.com/alecthomas/kong"
	_ "golang.org/x/crypto/x509roots/fallback" // authorities for a container that has none

	"watchpost/cmd/watchpost/client"
)

// commandLine is the root command. Each flag can also be set by an environment
// variable: --listen by WATCHPOST_LISTEN, for the demo by
// WATCHPOST_DEMO_LISTEN, for the network by WATCHPOST_NETWORK_LISTEN.
type commandLine struct {
	Serve      serveCommand      `cmd:"" help:"Run the service."`
	Demo       demoCommand       `cmd:"" help:"Run everything in one process: service, stand-in network, sessions and a team with watchlists."`
	Network    networkCommand    `cmd:"" help:"Run the stand-in for the professional network."`
	Session    sessionCommand    `cmd:"" help:"Run a session without a browser against the stand-in network."`
	Team       teamCommand       `cmd:"" help:"Create and manage teams through the admin API."`
	Enrich     enrichCommand     `cmd:"" help:"Add computed fields (language, sentiment and more) to posts, given and printed as JSON lines."`
	Reprocess  reprocessCommand  `cmd:"" help:"Re-run enrichment on stored posts of a stopped service, or of a running one with --online."`
	Backup     backupCommand     `cmd:"" help:"Make, list and check backups."`
	Restore    restoreCommand    `cmd:"" help:"Restore a backup into an empty folder or database."`
	Verify     verifyCommand     `cmd:"" help:"Check stored posts, their index and the journals, of a stopped service, or of a running one with --online."`
	Migrate    migrateCommand    `cmd:"" help:"Copy the store of a stopped service into an empty one: files into PostgreSQL, back, or of the same kind."`
	AdminToken adminTokenCommand `cmd:"" help:"Make a token of the admin API for an operator, whom the audit then names."`
	Doctor     doctorCommand     `cmd:"" help:"Check a service and its surroundings, and say what to do. It takes the flags and variables of serve. The service must be stopped, or be named by --server."`
	Posts      client.Posts      `cmd:"" help:"List stored posts of a team."`
	Export     client.Export     `cmd:"" help:"Print all stored posts that filters select, as CSV or JSON lines."`
	Tail       client.Tail       `cmd:"" help:"Follow the posts of a team as they come, until it is interrupted."`
	MCP        client.MCP        `cmd:"" name:"mcp" help:"Offer a service as tools to a language model, by the Model Context Protocol over standard input and output."`
	Nodes      nodesCommand      `cmd:"" help:"List the nodes of a cluster, or drain one."`
	Manual     manualCommand     `cmd:"" help:"Write the manual pages of all commands into a folder."`
	Complete   completeCommand   `cmd:"" name:"completion" help:"Print a script that makes bash, zsh or fish complete command lines: source <(watchpost completion), in fish: watchpost completion fish | source."`
	Version    versionCommand    `cmd:"" help:"Print the version."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal starts a graceful stop. The second is not caught and
	// ends the process.
	context.AfterFunc(ctx, stop)
	err := explainFaults()
	if err == nil {
		err = run(ctx, os.Args[1:])
	}
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "watchpost:", err)
		os.Exit(1)
	}
}

// run parses and runs one command line. Without a command it prints the help.
func run(ctx context.Context, args []string) error {
	var line commandLine
	parser, err := newParser(&line, kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(client.Version(version)))
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	var wrong *kong.ParseError
	if errors.As(err, &wrong) {
		parser.Stdout = os.Stderr
		return errors.Join(kong.DefaultShortHelpPrinter(kong.HelpOptions{}, wrong.Context), err)
	}
	if err != nil {
		return err
	}
	unknown := unknownVariables(knownVariables(parser.Model), os.Environ())
	line.Serve.unknown, line.Doctor.Serve.unknown = unknown, unknown
	return parsed.Run(ctx)
}

func newParser(line *commandLine, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(line, append(options,
		kong.Name("watchpost"),
		kong.Description("Watches a professional social network for teams, and acts on it for them."),
		kong.Vars{"version": versionLine()},
		kong.PostBuild(func(k *kong.Kong) error {
			nameVariables(k.Model.Node, "WATCHPOST")
			return nil
		}),
	)...)
}

// ownVariables are the commands whose variables carry the command's name, so
// that the configuration of a production service does not apply to a demo.
var ownVariables = map[string]bool{"demo": true, "network": true}

// nameVariables assigns an environment variable to each flag below a node,
// unless its tag has env:"-".
func nameVariables(node *kong.Node, prefix string) {
	for _, flag := range node.Flags {
		switch {
		case flag.Name == "help" || flag.Name == "version":
		case len(flag.Envs) == 1 && flag.Envs[0] == "-":
			flag.Envs, flag.Tag.Envs = nil, nil
		default:
			flag.Envs = []string{variableOf(prefix, flag.Name)}
			flag.Tag.Envs = flag.Envs
		}
	}
	for _, child := range node.Children {
		below := prefix
		if ownVariables[child.Name] {
			below = variableOf(prefix, child.Name)
		}
		nameVariables(child, below)
	}
}

func variableOf(prefix, name string) string {
	return prefix + "_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}
