package admin

import (
	"net/http"

	"watchpost/http/endpoint"
)

// Levels of a finding.
const (
	FindingOK      = "ok"
	FindingWarning = "warning" // it works now
	FindingError   = "error"   // something does not work, or data is in danger
)

// Finding is what one check of the service's surroundings found.
type Finding struct {
	Check  string `json:"check" example:"disk"`
	Level  string `json:"level" example:"warning"`
	Found  string `json:"found" example:"300 MiB are free"`
	Advice string `json:"advice,omitempty" example:"make room: below --min-free-disk writes are refused"`
}

// Findings are those of all checks, in their order.
type Findings struct {
	Findings []Finding `json:"findings" validate:"required"`
}

func (s service) doctorRoutes() {
	if s.Doctor == nil {
		return
	}
	endpoint.Handle(s.Ops, http.MethodGet, "/admin/doctor", s.examine, s.Operation(endpoint.Operators, "examine", "Check the service and its surroundings", endpoint.TagAdmin))
}

func (s service) examine(r *http.Request) (Findings, error) {
	return Findings{s.Doctor(r.Context())}, nil
}
