package specs_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/coder/websocket"
)

// socket is a connection to the session gateway whose frames the script sends.
type socket struct {
	conn   *websocket.Conn
	frames chan []byte
	// statuses are separate, because their timing is independent of other
	// frames.
	statuses chan []byte
	early    [][]byte      // frames read before a script asked for them
	gone     chan struct{} // closed when the connection has ended
	err      error         // the reason; read after gone
}

// open dials the gateway.
func (w *world) open(name string) (*socket, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	url := "ws" + strings.TrimPrefix(w.anyURL(), "http") + "/extension/socket"
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: w.client})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(-1)
	s := &socket{conn: conn, frames: make(chan []byte, 256), statuses: make(chan []byte, 1024), gone: make(chan struct{})}
	go s.read()
	if old := w.sockets[name]; old != nil {
		old.end() // a script that reuses a name no longer needs the old connection
	}
	w.sockets[name] = s
	return s, nil
}

func (s *socket) read() {
	defer close(s.gone)
	for {
		_, frame, err := s.conn.Read(context.Background())
		if err != nil {
			s.err = err
			return
		}
		frames := s.frames
		if strings.HasPrefix(string(frame), `{"type":"status"`) {
			frames = s.statuses
		}
		select {
		case frames <- frame:
		default:
			s.err = errors.New("more frames than a script can have missed")
			return
		}
	}
}

// end closes the connection.
func (s *socket) end() {
	_ = s.conn.CloseNow()
	<-s.gone
}

// next returns the next frame.
func (s *socket) next() ([]byte, error) {
	if len(s.early) > 0 {
		frame := s.early[0]
		s.early = s.early[1:]
		return frame, nil
	}
	return s.arriving()
}

// arriving waits for a frame.
func (s *socket) arriving() ([]byte, error) { return s.from(s.frames) }

// status waits for a status.
func (s *socket) status() ([]byte, error) { return s.from(s.statuses) }

func (s *socket) from(frames chan []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case frame := <-frames:
		return frame, nil
	default:
	}
	select {
	case frame := <-frames:
		return frame, nil
	case <-s.gone:
		return nil, fmt.Errorf("the connection has ended: %w", s.err)
	case <-ctx.Done():
		return nil, errors.New("no frame came")
	}
}

func (w *world) socket(name string) (*socket, error) {
	s := w.sockets[name]
	if s == nil {
		return nil, fmt.Errorf("no connection %q: dial first", name)
	}
	return s, nil
}

// dialCommand opens a connection without hello.
func (w *world) dialCommand(args []string) error {
	if len(args) != 1 {
		return usage("dial CONNECTION")
	}
	_, err := w.open(args[0])
	return err
}

// helloCommand opens a connection and sends hello for a session: by its token,
// or by the email of a member, for whom it creates a session. The hello reports
// an account; a leading dash means signed out.
func (w *world) helloCommand(args []string) error {
	if len(args) < 3 || len(args) > 4 {
		return usage("hello CONNECTION EMAIL|TOKEN ACCOUNT|-ACCOUNT [JOURNAL]")
	}
	name, token, account, journal := args[0], args[1], args[2], "journal-of-"+args[0]
	if len(args) == 4 {
		journal = args[3]
	}
	if strings.Contains(token, "@") {
		var err error
		if token, err = w.sessionToken(args[1]); err != nil {
			return err
		}
	}
	if err := w.dialCommand(args[:1]); err != nil {
		return err
	}
	w.ts.Setenv(strings.ToUpper(name)+"_TOKEN", token)
	hello := fmt.Sprintf(`{"type":"hello","v":1,"token":%q,"boot":"boot-of-%s","journal":%q,"version":"specs","account":%s,"tasks":[]}`,
		token, name, journal, accountFrame(account))
	if err := w.frameCommand([]string{name, hello}); err != nil {
		return err
	}
	return w.expectCommand([]string{name, `{"type":"welcome"}`})
}

// accountFrame is the report of an account; a leading dash means signed out.
func accountFrame(account string) string {
	slug, signedOut := strings.CutPrefix(account, "-")
	return fmt.Sprintf(`{"urn":"urn:network:member:%s","slug":%q,"name":%q,"signed_in":%t}`, slug, slug, slug, !signedOut)
}

// beatCommand sends a heartbeat and returns when the service has processed it;
// it has answered earlier frames by then.
func (w *world) beatCommand(args []string) error {
	if len(args) != 2 {
		return usage("beat CONNECTION ACCOUNT|-ACCOUNT")
	}
	s, err := w.socket(args[0])
	if err != nil {
		return err
	}
	const mark = `{"type":"result","task":"mark","lease":"mark","attempt":1,"output":{}}`
	for _, frame := range []string{`{"type":"heartbeat","account":` + accountFrame(args[1]) + `,"running":[]}`, mark} {
		if err := w.frameCommand([]string{args[0], frame}); err != nil {
			return err
		}
	}
	for {
		frame, err := s.arriving()
		if err != nil {
			return err
		}
		if string(frame) == `{"type":"ack","task":"mark"}` {
			return nil
		}
		s.early = append(s.early, frame)
	}
}

// frameCommand sends a text frame.
func (w *world) frameCommand(args []string) error {
	if len(args) != 2 {
		return usage("frame CONNECTION 'JSON' | @FILE | bytes:N")
	}
	s, err := w.socket(args[0])
	if err != nil {
		return err
	}
	frame, err := w.bodyOf(args[1])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, frame)
}

// expectCommand requires the next frame to have these members, and stores it
// like a reply. For a status it awaits the next one that has them.
func (w *world) expectCommand(args []string) error {
	if len(args) != 2 {
		return usage("expect CONNECTION 'JSON'")
	}
	s, err := w.socket(args[0])
	if err != nil {
		return err
	}
	want, err := parseJSON(args[1])
	if err != nil {
		return err
	}
	read := s.next
	object, _ := want.(map[string]any)
	status := object["type"] == "status"
	if status {
		read = s.status
	}
	var differs error
	for {
		frame, err := read()
		if err != nil {
			return fmt.Errorf("want %s: %w", args[1], errors.Join(err, differs))
		}
		w.last = &reply{who: args[0], body: frame}
		w.last.parse()
		if differs = compare("", want, w.last.value, true); differs == nil {
			return nil
		}
		differs = fmt.Errorf("%w\n%s", differs, w.last)
		if !status {
			return differs
		}
	}
}

// closedCommand requires the service to close the connection with that code
// without sending a frame first.
func (w *world) closedCommand(args []string) error {
	if len(args) != 2 {
		return usage("closed CONNECTION CODE | somehow")
	}
	s, err := w.socket(args[0])
	if err != nil {
		return err
	}
	if frame, err := s.next(); err == nil {
		return fmt.Errorf("a frame came instead: %s", frame)
	}
	select {
	case <-s.gone:
	default:
		return errors.New("it is still open")
	}
	if got := strconv.Itoa(int(websocket.CloseStatus(s.err))); args[1] != "somehow" && got != args[1] {
		return fmt.Errorf("closed with %s, want %s (%w)", got, args[1], s.err)
	}
	return nil
}

// hangupCommand closes a connection from the session's side.
func (w *world) hangupCommand(args []string) error {
	if len(args) != 1 {
		return usage("hangup CONNECTION")
	}
	s, err := w.socket(args[0])
	if err != nil {
		return err
	}
	s.end()
	delete(w.sockets, args[0])
	return nil
}
