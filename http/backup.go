package httpapi

import (
	"net/http"

	"github.com/go-fuego/fuego"

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

func (s serviceAdmin) backupRoutes() {
	if s.Backup == nil {
		return
	}
	handleBody(s.ops, http.MethodPost, "/admin/backup", s.makeBackup, s.operation(operators, "makeBackup", "Write a backup to the place of --backup-to", tagAdmin),
		created(), withBody(textInvalidFull), fuego.OptionHide())
}

const textInvalidFull = "Invalid 'full'"

type backupRequest struct {
	Full bool `json:"full,omitempty" invalid:"Invalid 'full'"`
}

func (s serviceAdmin) makeBackup(r *http.Request, request backupRequest) (Backup, error) {
	made, err := s.Backup(r.Context(), request.Full)
	if err != nil {
		return made, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, &unreadyError{err})
	}
	return made, nil
}
