package headless_test

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"watchpost/internal/protocol"
)

// TestGoldenFrames: testdata/frames.json has frames of every type, as both
// sides write them. Sessions in other languages are tested with the same file.
// A frame keeps all its fields when it is read and written again.
func TestGoldenFrames(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/frames.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden []struct {
		Name, From string
		Frame      json.RawMessage
	}
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	types := make(map[string]bool)
	for _, g := range golden {
		var f protocol.Frame
		if err := json.Unmarshal(g.Frame, &f); err != nil {
			t.Errorf("%s: %v", g.Name, err)
			continue
		}
		types[f.Type] = true
		again, err := json.Marshal(f)
		if err != nil {
			t.Errorf("%s: %v", g.Name, err)
			continue
		}
		if want, got := decode[any](t, g.Frame), decode[any](t, again); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", g.Name, got, want)
		}
		if g.From != "session" && g.From != "service" {
			t.Errorf("%s: from %q", g.Name, g.From)
		}
	}
	for _, want := range []string{
		protocol.TypeHello, protocol.TypeWelcome, protocol.TypeHeartbeat, protocol.TypeTask, protocol.TypeAccepted,
		protocol.TypeActing, protocol.TypeGo, protocol.TypePart, protocol.TypeResult, protocol.TypeAck,
		protocol.TypeReleased, protocol.TypeCancel, protocol.TypeRevoked,
	} {
		if !types[want] {
			t.Errorf("no frame of type %s", want)
		}
	}
	for _, g := range golden {
		var f protocol.Frame
		if json.Unmarshal(g.Frame, &f) != nil || f.Type != protocol.TypePart {
			continue
		}
		back, err := json.Marshal(decode[protocol.PostsOutput](t, f.Output))
		if err != nil || !reflect.DeepEqual(decode[any](t, back), decode[any](t, f.Output)) {
			t.Errorf("%s: the posts lost something: %s, %v", g.Name, back, err)
		}
	}
}
