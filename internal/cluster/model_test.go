package cluster

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/cluster/model"
)

// modelled are the functions and statements that the steps of the model stand for.
var modelled = map[string]any{
	"renewSQL": renewSQL, "joinSQL": joinSQL, "leaveSQL": leaveSQL, "confirmSQL": confirmSQL, "expireSQL": expireSQL,
	"reportDeadSQL": reportDeadSQL, "drainSQL": drainSQL, "nextViewSQL": nextViewSQL,
	"Node.renew": (*Node).renew, "Node.releaseUntil": (*Node).releaseUntil, "Node.ReportDead": (*Node).ReportDead, "Node.join": (*Node).join, "Node.StepOut": (*Node).StepOut, "Node.Close": (*Node).Close,
	"Node.HandOver": (*Node).HandOver, "Node.TakeOver": (*Node).TakeOver, "Place.From": Place{}.From, "guard.regain": (*guard).regain, "guard.check": (*guard).check,
}

// ids are the nodes of the model.
var ids = [model.Nodes]string{"a:1", "b:1"}

// modelledName returns a name that belongs to the second node when both are members.
func modelledName() string {
	for i := 0; ; i++ {
		if name := strconv.Itoa(i); viewOf(ids[:]...).Owner(name) == ids[1] {
			return name
		}
	}
}

// realView is a view of the model.
func realView(v model.View) View {
	view := View{Version: int64(v.Version)}
	for i, id := range ids {
		if v.Member(i) {
			m := Member{ID: id, Draining: v.Draining(i)}
			if v.Confirmed(i) {
				m.Seen = view.Version
			}
			view.Members = append(view.Members, m)
		}
	}
	return view
}

// realOwnership is what a node of the model knows.
func realOwnership(i int, n *model.Node, name string) ownership {
	o := ownership{id: ids[i]}
	for _, v := range n.Known[:n.Count] {
		o.views = append(o.views, realView(v))
	}
	if n.HandedOver {
		o.handedOver = map[string]struct{}{name: {}}
	}
	return o
}

// knowledge is the part of a node by which ownership decides.
type knowledge struct {
	node, step   int
	known        [model.Views]model.View
	count        uint8
	handedOver   bool
	reply        model.Reply
	asked, grant uint8
}

// TestModel compares ownership with the model in every transition of the model: its
// knowledge after a step, and its decisions.
func TestModel(t *testing.T) {
	t.Parallel()
	for _, s := range model.Steps {
		f, rest, _ := strings.Cut(s.Name, " ")
		if f = strings.TrimSuffix(f, ":"); !slices.Contains([]string{"the", "a", "Registry.find", "Store.Activate", "Store.Submit", "rootActor.activate"}, f) {
			require.Contains(t, modelled, f, rest)
		}
	}
	name := modelledName()
	compared := map[knowledge]bool{}
	decided := 0
	compare := func(from, to *model.State, step, i int) {
		before, after := &from.Node[i], &to.Node[i]
		asked := from.Node[1-i].Asked
		k := knowledge{i, step, before.Known, before.Count, before.HandedOver, before.Reply, asked, before.Granted}
		if compared[k] {
			return
		}
		compared[k] = true
		o := realOwnership(i, before, name)
		require.Equal(t, before.Serves(i, model.Rules{}), o.serves(name))
		require.Equal(t, before.MayHandOver(i, 1-i, asked), o.mayHandOver(name, ids[1-i], int64(asked)))
		taking := realOwnership(i, before, name)
		require.Equal(t, before.AcceptHandover(i, before.Granted), taking.acceptHandover(name, int64(before.Granted)))
		switch model.Steps[step].Name {
		case "Node.renew takes the answer":
			if before.Reply.View.Member(i) && !before.Reply.Renewed && before.Joined {
				return // the process ends
			}
			v := realView(before.Reply.View)
			if !before.Reply.Renewed {
				o.reset()
				v = v.without(ids[i])
			}
			o.move(v)
		case "Node.StepOut":
			v := o.views.current().without(ids[i])
			o.reset()
			o.move(v)
		case "Node.TakeOver":
			held := o.acceptHandover(name, int64(before.Granted))
			require.Equal(t, held || before.HandedOver, after.HandedOver)
		default:
			return
		}
		decided++
		want := realOwnership(i, after, name)
		require.Equal(t, want.views, o.views)
		require.Len(t, o.handedOver, len(want.handedOver))
	}
	for _, b := range []model.Bounds{{Views: 3, Lapses: 1}, {Views: 2, Faults: 1, Both: true}} {
		_, wrong := model.Explore(b, model.Rules{}, compare)
		require.Empty(t, wrong)
	}
	require.Greater(t, decided, 100)
	t.Logf("%d transitions of what a node knows, %d decisions", len(compared), decided)
}
