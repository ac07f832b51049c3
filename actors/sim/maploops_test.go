package sim

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// inAnyOrder are the functions of the actors with a loop over a map whose order nothing
// shows: it counts, finds the only one or the greatest, or fills a map or a slice that is
// sorted later. Where a loop sends, spawns, writes or picks, it goes through
// ordered.ByKey instead.
var inAnyOrder = []string{
	"Browsers.makeRoom", "Browsers.views", "Dispatcher.Backlogs", "Dispatcher.DueScans", "Dispatcher.Reported", "Dispatcher.ReportedAll",
	"Dispatcher.TakeNews", "Dispatcher.WhyScan", "Dispatcher.claims", "Dispatcher.look", "Dispatcher.nominateFor", "Dispatcher.pass",
	"Dispatcher.reconsider", "Dispatcher.room", "Inbox.arm", "Invitations.All", "Passkeys.of", "Registry.Follow", "Rules.Create",
	"Rules.OnAccountChanged", "Rules.Proposals", "Rules.Watch", "Rules.overview", "Rules.stopAfterRestore", "Rules.viewOf", "Standing.Probe",
	"Standing.relief", "Targets.Views", "Targets.Watch", "Targets.onCreate", "Targets.onDue", "Targets.waiting", "Unstored.End", "accounts.beginDay",
	"accounts.leaves", "accounts.live", "caller.fail", "dueScans.age", "dueScans.rest", "finishedTasks.clear", "kindOfReply", "members.endClaims",
	"needlesOf", "pendingDeletions.arm", "queues.WaitingFor", "queues.writesWait", "reading.Changes", "reading.readChanges", "round.decide", "schedule.times",
	"sessionActor.countWriting", "sessions.presence", "sessions.views", "shard.forget", "shard.onTry", "subscriptions.end", "subscriptions.makeRoom",
	"subscriptions.publish", "tasks.load", "tasks.onListOpen", "tasks.running", "watchlists.has", "watchlists.listNeed", "watchlists.onListWatchlists",
	"watchlists.startLists", "watchlistsOf",
}

// TestMapLoops finds the loops over maps whose order could be seen: Go gives a map another
// order each time, and then a failure could not be played again.
func TestMapLoops(t *testing.T) {
	found, err := loadActors()
	require.NoError(t, err)
	var loops []string
	for _, p := range found {
		require.Empty(t, p.Errors)
		if strings.HasSuffix(p.PkgPath, "/sim") || strings.HasSuffix(p.PkgPath, "/actorstest") {
			continue
		}
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if function, ok := d.(*ast.FuncDecl); ok && loopsOverMap(p.TypesInfo, function) {
					loops = append(loops, nameOf(function))
				}
			}
		}
	}
	slices.Sort(loops)
	require.Equal(t, inAnyOrder, slices.Compact(loops), "a loop over a map goes through ordered.ByKey, unless its order cannot be seen; then its function is listed here")
}

// loadActors loads the packages of the actors with their types.
var loadActors = sync.OnceValues(func() ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
	}, "watchpost/actors/...")
})

func loopsOverMap(info *types.Info, function *ast.FuncDecl) (found bool) {
	ast.Inspect(function, func(n ast.Node) bool {
		if loop, ok := n.(*ast.RangeStmt); ok {
			_, isMap := info.TypeOf(loop.X).Underlying().(*types.Map)
			found = found || isMap
		}
		return true
	})
	return found
}

// nameOf returns the name of a function, with that of its receiver's type.
func nameOf(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return function.Name.Name
	}
	return receiverOf(function) + "." + function.Name.Name
}

// receiverOf returns the name of the type of a method; "" for a function.
func receiverOf(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return ""
	}
	receiver := function.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	return receiver.(*ast.Ident).Name
}
