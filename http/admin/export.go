package admin

import (
	"bufio"
	"encoding/json"
	"net/http"

	"github.com/go-fuego/fuego"

	"watchpost/actors/journal"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const mediaJSONLines = "application/x-ndjson"

func (s teams) exportRoutes() {
	s.Ops.Get("/admin/teams/{id}/export", s.exportTeam,
		s.Operation(endpoint.Operators, "exportTeam", "Read everything that a team has stored, as JSON lines", endpoint.TagAdmin),
		fuego.OptionHide())
}

// exportLine is a line of an export. The last has the type end, and the number of
// the lines before it: without it the export is cut off.
type exportLine struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

type exportEnd struct {
	Lines int `json:"lines"`
}

type exportedTeam struct {
	shownTeam
	CreatedAt endpoint.Timestamp `json:"created_at"`
	Voice     string             `json:"voice,omitempty"`
}

type exportedList struct {
	ID        watchpost.ListID        `json:"id"`
	Name      string                  `json:"name"`
	Type      watchpost.WatchlistType `json:"type"`
	CreatedAt endpoint.Timestamp      `json:"created_at"`
	Entries   []string                `json:"entries"`
}

// exportedJournal is a record of the journal's chain, as it is stored: Hash is the
// SHA-256 of its bytes, and the next one's Before.
type exportedJournal struct {
	Hash   string          `json:"hash"`
	Record json.RawMessage `json:"record"`
}

// exportedPasskey is a passkey of a member without the key.
type exportedPasskey struct {
	Member    watchpost.MemberID  `json:"member_id"`
	Name      string              `json:"name"`
	CreatedAt endpoint.Timestamp  `json:"created_at"`
	UsedAt    *endpoint.Timestamp `json:"last_used_at"`
}

// exported returns the line of a record, in the words of the API.
func (s teams) exported(record any) exportLine {
	switch r := record.(type) {
	case watchpost.Team:
		return exportLine{"team", exportedTeam{teamShown(r, ""), endpoint.TimestampOf(r.CreatedAt), r.Voice}}
	case watchpost.Invitation:
		return exportLine{"invitation", invitationShown(&r)}
	case watchpost.Passkey:
		return exportLine{"passkey", exportedPasskey{r.Member, r.Name, endpoint.TimestampOf(r.CreatedAt), endpoint.TimestampOrNil(r.UsedAt)}}
	case watchpost.List:
		list := exportedList{r.ID, r.Name, r.Type, endpoint.TimestampOf(r.CreatedAt), make([]string, len(r.Entries))}
		for i, e := range r.Entries {
			list.Entries[i] = e.Reference.Key()
		}
		return exportLine{"list", list}
	case journal.Record:
		return exportLine{"journal", exportedJournal{r.Hash, r.Record}}
	case watchpost.AuditEntry:
		return exportLine{"audit", showAudit(&r)}
	}
	kind, data := s.shown(record)
	return exportLine{kind, data}
}

// exportTeam sends the lines as they are read. A failure after the first of them
// breaks the connection.
func (s teams) exportTeam(w http.ResponseWriter, r *http.Request) {
	id, err := endpoint.TeamInPath(r)
	if err != nil {
		s.WriteError(r, err)
		return
	}
	out := bufio.NewWriterSize(w, 64<<10)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	n := 0
	err = s.Registry.ExportTeam(r.Context(), id, func(record any) error {
		if n++; n == 1 {
			w.Header().Set("Content-Type", mediaJSONLines)
		}
		return lines.Encode(s.exported(record))
	})
	if err == nil {
		err = lines.Encode(exportLine{"end", exportEnd{n}})
	}
	if err == nil {
		err = out.Flush()
	}
	switch {
	case err == nil:
	case endpoint.StateOf(r.Context()).Begun() || n > 0:
		s.Log.Error("export cut off", "team", id, "error", err)
		panic(http.ErrAbortHandler)
	default:
		s.WriteError(r, err)
	}
}
