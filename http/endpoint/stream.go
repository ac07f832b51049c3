package endpoint

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/watchpost"
)

// Media types of exports.
const (
	MediaCSV       = "text/csv"
	MediaJSONLines = "application/x-ndjson"
)

// exportSuffix ends the paths of exports.
const exportSuffix = "/export"

// Exports reports whether a path is that of an export, whose reply is sent as it is
// made, for as long as the client reads.
func Exports(path string) bool { return strings.HasSuffix(path, exportSuffix) }

// exportTime bounds an export. A client that is cut off goes on from the last row.
const exportTime = 15 * time.Minute

// timeFor bounds the work for a request of a team.
func timeFor(s *Server, r *http.Request) time.Duration {
	if Exports(r.URL.Path) {
		return exportTime
	}
	return s.Timing.Request
}

// Stream is the body of an export. Its memory is one chunk.
type Stream struct {
	state *RequestState
	chunk []byte
	// may says, before each chunk, why the key of the request may not have it.
	may func() error
}

const (
	// streamChunk is the size from which a chunk is sent.
	streamChunk = 64 << 10
	// streamWriteTime is how long the client may take to read a chunk.
	streamWriteTime = 30 * time.Second
)

// errClientGone means that the client reads no more.
var errClientGone = errors.New("the client of an export has gone")

// Append lets add append to the body.
func (s *Stream) Append(add func([]byte) []byte) error {
	if s.chunk = add(s.chunk); len(s.chunk) < streamChunk {
		return nil
	}
	return s.send()
}

func (s *Stream) send() error {
	if err := s.may(); err != nil {
		return err
	}
	_ = http.NewResponseController(s.state.ResponseWriter).SetWriteDeadline(RealNow().Add(streamWriteTime)) // else that of the server counts
	_, err := s.state.Write(s.chunk)
	s.chunk = s.chunk[:0]
	if err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}

// HandleStream adds a route whose reply is a stream of one of the media types; media
// chooses it. After the first chunk an error cuts the reply off, which the client sees:
// an HTTP/1.1 reply lacks its last chunk, an HTTP/2 stream is reset. The same happens when
// the key of the request loses the scope.
func HandleStream(to *Routes, path string, scope watchpost.Scope, media func(*http.Request) (string, error), serve func(*http.Request, *Stream) error, options ...fuego.RouteOption) {
	s := to.server
	inRoom := func(next http.Handler) http.Handler { return s.withRoomIn(s.room.exports, next) }
	handler := func(w http.ResponseWriter, r *http.Request) {
		x := StateOf(r.Context())
		kind, err := media(r)
		if err != nil {
			s.WriteError(r, err)
			return
		}
		if kind == MediaCSV {
			kind += "; charset=utf-8"
		}
		may, done, err := stillMay(s, r, scope, exportTime)
		if err != nil {
			s.WriteError(r, err)
			return
		}
		defer done()
		x.Header()["Content-Type"] = []string{kind}
		x.Header()["Content-Disposition"] = []string{"attachment"}
		stream := &Stream{state: x, chunk: make([]byte, 0, streamChunk+streamChunk/4), may: may}
		if err = serve(r, stream); err == nil {
			err = stream.send()
		}
		switch {
		case err == nil:
		case x.Begun():
			panic(http.ErrAbortHandler)
		default:
			x.Header().Del("Content-Disposition")
			s.WriteError(r, err)
		}
	}
	to.Get(path, handler, append(options, withStream(), fuego.OptionMiddleware(inRoom))...)
}

// Examples of the first rows of an export.
const (
	csvExample   = "id,network_post_url\n0199f3a0-2b4d-7c6e-8f10-a1b2c3d4e5f6,https://network.example/posts/1\n"
	linesExample = `{"id":"0199f3a0-2b4d-7c6e-8f10-a1b2c3d4e5f6","network_post_url":"https://network.example/posts/1"}` + "\n"
)

// withStream documents the media types.
func withStream() fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		content := openapi3.Content{}
		for kind, example := range map[string]string{MediaCSV: csvExample, MediaJSONLines: linesExample} {
			content[kind] = openapi3.NewMediaType().WithSchema(openapi3.NewStringSchema()).WithExample("row", example)
		}
		reply := openapi3.NewResponse().WithDescription(http.StatusText(http.StatusOK)).WithContent(content)
		r.Operation.AddResponse(http.StatusOK, reply)
		r.Operation.Responses.Delete("default")
	}
}
