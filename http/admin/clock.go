package admin

import (
	"net/http"
	"time"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

type clockReply struct {
	Now endpoint.Timestamp `json:"now"`
}

func (s service) readClock(*http.Request) (clockReply, error) {
	return clockReply{endpoint.TimestampOf(s.Clock.Now())}, nil
}

type setClockRequest struct {
	Advance string `json:"advance,omitempty" invalid:"Missing or invalid 'advance'" example:"24h"`
	Set     string `json:"set,omitempty" invalid:"Missing or invalid 'set'" example:"2030-01-07T00:00:00Z"`
}

func (s service) setClock(r *http.Request, request setClockRequest) (clockReply, error) {
	var err error
	switch {
	case request.Set != "" && request.Advance == "":
		err = s.setClockTo(request.Set)
	case request.Set == "":
		err = s.advanceClock(request.Advance)
	default:
		err = watchpost.Errorf(watchpost.Invalid, textNoStep)
	}
	if err == nil {
		err = s.ShareClock(r.Context())
	}
	return clockReply{endpoint.TimestampOf(s.Clock.Now())}, err
}

func (s service) advanceClock(by string) error {
	d, err := time.ParseDuration(by)
	if err != nil {
		return watchpost.Errorf(watchpost.Invalid, textNoStep)
	}
	return s.TestClock.Advance(d)
}

func (s service) setClockTo(moment string) error {
	t, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return watchpost.Errorf(watchpost.Invalid, textNoMoment)
	}
	return s.TestClock.Set(t.UTC())
}
