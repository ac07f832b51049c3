package specs_test

import (
	"net"
	"net/http"
	"strconv"
	"time"
)

// teamCommand creates a team. In the script its name stands for a caller with
// its key, the variable of that name for its id, and NAME_KEY for its key.
func (w *world) teamCommand(args []string) error {
	if len(args) != 3 {
		return usage("team NAME PLAN EMAIL")
	}
	name, plan, email := args[0], args[1], args[2]
	r, err := w.request("operator", http.MethodPost, "/admin/teams", object("name", name, "plan", plan, "email", email))
	if err != nil {
		return err
	}
	key, err := r.member("api_key")
	if err != nil {
		return err
	}
	id, err := r.member("id")
	w.keys[name], w.teams[email] = key, id
	w.ts.Setenv(name, id)
	w.ts.Setenv(name+"_KEY", key)
	return err
}

// memberCommand adds a member to a team.
func (w *world) memberCommand(args []string) error {
	if len(args) < 2 || len(args) > 3 {
		return usage("member TEAM EMAIL [ROLE]")
	}
	team, email, role := w.ts.Getenv(args[0]), args[1], "member"
	if len(args) == 3 {
		role = args[2]
	}
	r, err := w.request("operator", http.MethodPost, "/admin/teams/"+team+"/members", object("email", email, "role", role))
	if err != nil {
		return err
	}
	_, err = r.member("id")
	w.teams[email] = team
	return err
}

// clockCommand moves the service's clock.
func (w *world) clockCommand(args []string) error {
	if len(args) == 3 && args[0] == "day" {
		return w.dayCommand(args[1], args[2])
	}
	if len(args) != 2 {
		return usage("clock advance DURATION | clock set MOMENT | clock next HH:MM | clock next monday | clock day NAME OFFSET")
	}
	body := object(args[0], args[1])
	if args[0] == "next" {
		now, err := w.now()
		if err != nil {
			return err
		}
		at, err := following(now, args[1])
		if err != nil {
			return err
		}
		body = object("set", at.Format(time.RFC3339))
	}
	r, err := w.request("operator", http.MethodPost, "/admin/clock", body)
	if err != nil {
		return err
	}
	_, err = r.member("now")
	return err
}

// dayCommand stores a date in a variable: the clock's date plus an offset in
// days.
func (w *world) dayCommand(name, offset string) error {
	days, err := strconv.Atoi(offset)
	if err != nil {
		return err
	}
	now, err := w.now()
	w.ts.Setenv(name, now.AddDate(0, 0, days).Format(time.DateOnly))
	return err
}

func (w *world) now() (time.Time, error) {
	r, err := w.request("operator", http.MethodGet, "/admin/clock", nil)
	if err != nil {
		return time.Time{}, err
	}
	now, err := r.member("now")
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, now)
}

// following returns the next moment after now that has the given time of day,
// or the next Monday at 00:00, in UTC.
func following(now time.Time, when string) (time.Time, error) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	if when == "monday" {
		return midnight.AddDate(0, 0, 7-(int(now.Weekday())+6)%7), nil
	}
	clock, err := time.Parse("15:04", when)
	if err != nil {
		return time.Time{}, usage("clock next HH:MM | clock next monday")
	}
	at := midnight.Add(time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute)
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at, nil
}

// addressCommand stores an unused address in a variable.
func (w *world) addressCommand(args []string) error {
	if len(args) != 1 {
		return usage("address NAME")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w.ts.Setenv(args[0], listener.Addr().String())
	return listener.Close()
}
