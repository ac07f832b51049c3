package admin

import (
	"net/http"

	"github.com/go-fuego/fuego"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// Backup is a backup that was made.
type Backup struct {
	Name    string `json:"name"`
	Full    bool   `json:"full"`
	Spaces  int    `json:"spaces"`
	Entries int    `json:"entries"`
	Records int    `json:"records"`
	Bytes   int64  `json:"bytes"`
	Chunks  int    `json:"chunks"`
	Written int    `json:"chunks_written"`
	Stored  int64  `json:"bytes_written"`
}

func (s service) backupRoutes() {
	if s.Backup == nil {
		return
	}
	endpoint.HandleBody(s.Ops, http.MethodPost, "/admin/backup", s.makeBackup, s.Operation(endpoint.Operators, "makeBackup", "Write a backup to the place of --backup-to", endpoint.TagAdmin),
		endpoint.Created(), endpoint.WithBody(textInvalidFull), fuego.OptionHide())
}

const textInvalidFull = "Invalid 'full'"

type backupRequest struct {
	Full bool `json:"full,omitempty" invalid:"Invalid 'full'"`
}

func (s service) makeBackup(r *http.Request, request backupRequest) (Backup, error) {
	made, err := s.Backup(r.Context(), request.Full)
	if err != nil {
		return made, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, &endpoint.UnreadyError{Cause: err})
	}
	return made, nil
}
