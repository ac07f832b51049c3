// Command watchpost is the service and everything around it in one binary.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// commandLine is what the binary understands. Every flag can also be given as a
// variable: --listen as WATCHPOST_LISTEN.
type commandLine struct {
	Serve     serveCommand     `cmd:"" help:"Run the service."`
	Demo      demoCommand      `cmd:"" help:"Run everything in one process: service, stand-in network, sessions and a team with watchlists."`
	Network   networkCommand   `cmd:"" help:"Run the stand-in for the professional network."`
	Session   sessionCommand   `cmd:"" help:"Run a session without a browser against the stand-in network."`
	Team      teamCommand      `cmd:"" help:"Create and manage teams through the admin API."`
	Enrich    enrichCommand    `cmd:"" help:"Show what is understood of posts: JSON lines in, the same lines with language, sentiment and more out."`
	Reprocess reprocessCommand `cmd:"" help:"Understand the stored posts of a stopped service anew, by the rules of this version."`
	Verify    verifyCommand    `cmd:"" help:"Check the data of a stopped service: the posts and the index that finds them."`
	Version   versionCommand   `cmd:"" help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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

// run parses and carries out one command line.
func run(ctx context.Context, args []string) error {
	var line commandLine
	parser, err := kong.New(&line,
		kong.Name("watchpost"),
		kong.Description("Watches a professional social network for teams, and acts on it for them."),
		kong.DefaultEnvars("WATCHPOST"),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return parsed.Run(ctx)
}
