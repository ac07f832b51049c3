package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/coder/websocket"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"watchpost/internal/protocol"
)

// bare is the smallest server that can exchange the same requests and frames: a
// net/http server and WebSockets around a map. It checks no key, counts no
// allowance and writes nothing to disk.
type bare struct {
	mu    sync.Mutex
	tasks map[string]json.RawMessage // output; nil while pending
	last  int
	idle  chan *bareSession
}

type bareSession struct {
	ws *websocket.Conn
}

func runBare() {
	b := &bare{tasks: map[string]json.RawMessage{}, idle: make(chan *bareSession, 4096)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /network-agent/fetch-profile", b.create)
	mux.HandleFunc("GET /network-agent/get-task-status", b.status)
	mux.HandleFunc("GET /extension/socket", b.socket)
	serveBare(mux)
}

// runBareSockets accepts sockets with the service's library, sends welcome
// after the first frame of each and reads on, with one goroutine per socket.
func runBareSockets() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /extension/socket", func(w http.ResponseWriter, r *http.Request) {
		if conn, _, _, err := ws.UpgradeHTTP(r, w); err == nil {
			go holdSocket(conn)
		}
	})
	serveBare(mux)
}

func holdSocket(conn net.Conn) {
	welcome, _ := json.Marshal(protocol.Frame{Type: protocol.TypeWelcome, HeartbeatS: 20, LeaseS: 60})
	for greeted := false; ; greeted = true {
		if _, err := wsutil.ReadClientText(conn); err != nil {
			_ = conn.Close()
			return
		}
		if !greeted && wsutil.WriteServerText(conn, welcome) != nil {
			return
		}
	}
}

// runBytes answers every GET with the bytes of a file.
func runBytes(file string) {
	body, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	length := strconv.Itoa(len(body))
	serveBare(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", length)
		_, _ = w.Write(body)
	}))
}

func serveBare(handler http.Handler) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, `{"msg":"serving","url":"http://%s"}`+"\n", listener.Addr())
	_ = http.Serve(listener, handler)
}

func (b *bare) create(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Slug string `json:"profile_slug"`
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(raw, &body) != nil {
		http.Error(w, "bad body", http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	b.last++
	id := strconv.Itoa(b.last)
	b.tasks[id] = nil
	b.mu.Unlock()
	session := <-b.idle
	frame, _ := json.Marshal(protocol.Frame{
		Type: protocol.TypeTask, Task: id, Lease: "0123456789abcdef", Attempt: 1, TaskType: "agent_profile_fetch", Input: raw,
	})
	if err := session.ws.Write(r.Context(), websocket.MessageText, frame); err != nil {
		http.Error(w, "session gone", http.StatusInternalServerError)
		return
	}
	writeJSON(w, map[string]any{"success": true, "api_agent_task_id": id, "message": "Profile fetch task created successfully"})
}

func (b *bare) status(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("api_agent_task_id")
	b.mu.Lock()
	output := b.tasks[id]
	b.mu.Unlock()
	status := "pending"
	if output != nil {
		status = "completed"
	}
	writeJSON(w, map[string]any{"success": true, "data": map[string]any{
		"id": id, "status": status, "task_input": map[string]string{"task_type": "agent_profile_fetch"}, "task_output": output,
	}})
}

func (b *bare) socket(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return
	}
	ws.SetReadLimit(protocol.MaxFrame)
	session := &bareSession{ws: ws}
	for {
		_, raw, err := ws.Read(r.Context())
		if err != nil {
			return
		}
		var f protocol.Frame
		if json.Unmarshal(raw, &f) != nil {
			return
		}
		switch f.Type {
		case protocol.TypeHello:
			welcome, _ := json.Marshal(protocol.Frame{Type: protocol.TypeWelcome, HeartbeatS: 20, LeaseS: 60})
			_ = ws.Write(r.Context(), websocket.MessageText, welcome)
			b.idle <- session
		case protocol.TypeResult:
			b.mu.Lock()
			b.tasks[f.Task] = f.Output
			b.mu.Unlock()
			ack, _ := json.Marshal(protocol.Frame{Type: protocol.TypeAck, Task: f.Task})
			_ = ws.Write(r.Context(), websocket.MessageText, ack)
			b.idle <- session
		}
	}
}

func writeJSON(w http.ResponseWriter, body any) {
	encoded, _ := json.Marshal(body)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(encoded)))
	_, _ = w.Write(encoded)
}
