package api

import (
	"net/http"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
	"watchpost/watchpost/forecast"
)

func (s forecasts) routes() {
	endpoint.Handle(s.API, http.MethodGet, "/api-forecast", s.getForecast,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getForecast", "Ask when what waits will be done", endpoint.TagTasks),
		endpoint.Query("add", "what the client thinks of adding: `agent_profile_fetch:300`, a task type and a number of tasks, at most 100,000 of each type; several are allowed",
			openapi3.NewArraySchema().WithItems(openapi3.NewStringSchema())),
		endpoint.WithError(http.StatusBadRequest, "Invalid 'add'"))
}

// actionForecast is the forecast of an action.
type actionForecast struct {
	Action    watchpost.Action         `json:"action" example:"profile_fetch" description:"the allowance that is used; empty: what has none"`
	TaskTypes []watchpost.TaskType     `json:"task_types" validate:"required" description:"types of tasks that use it"`
	Waiting   int                      `json:"waiting" description:"units that wait; a task needs one, posts of profiles one for each person"`
	Added     int                      `json:"added" description:"units that would be added"`
	Period    *string                  `json:"period" validate:"omitempty,oneof=day week" description:"time for which the allowance counts; null: there is no limit"`
	Capacity  *int                     `json:"capacity" description:"units of a period, of the team's accounts that were active within 48 hours; null: there is no limit"`
	Room      *int                     `json:"room" description:"units that are left in this period; null: there is no limit"`
	DoneAt    *endpoint.Timestamp      `json:"done_at" description:"when the last of them may begin, at the earliest; null: nothing waits, or no account can do it"`
	LimitedBy *watchpost.PendingReason `json:"limited_by" validate:"omitempty,oneof=extension_offline paused weekly_cap daily_cap member_asked member_pace" description:"what delays the last of them; null: nothing"`
	Expiring  int                      `json:"expiring" description:"added units that could not begin within seven days, after which a task expires"`
}

type forecastReply struct {
	Actions []actionForecast `json:"actions" validate:"required" description:"all actions, in the order of the table of allowances"`
}

func (s forecasts) getForecast(r *http.Request) (forecastReply, error) {
	p := endpoint.ReadParams(r)
	added := endpoint.Each(p, "add", forecast.ParseAdded)
	if p.Err != nil {
		return forecastReply{}, p.Err
	}
	forecasts, err := actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), actors.GetForecast{Added: added})
	reply := forecastReply{Actions: make([]actionForecast, len(forecasts))}
	for i := range forecasts {
		reply.Actions[i] = showForecast(&forecasts[i])
	}
	return reply, err
}

func showForecast(f *actors.ActionForecast) actionForecast {
	shown := actionForecast{
		Action: f.Action, TaskTypes: slices.DeleteFunc(watchpost.TaskTypes(), func(t watchpost.TaskType) bool { return t.Action() != f.Action }), Waiting: f.Waiting, Added: f.Added,
		DoneAt: endpoint.TimestampOrNil(f.DoneAt), Expiring: f.Expiring,
	}
	if f.LimitedBy != "" {
		shown.LimitedBy = &f.LimitedBy
	}
	if a, limited := watchpost.AllowanceOf(f.Action); limited {
		period := "day"
		if a.Period == watchpost.Weekly {
			period = "week"
		}
		shown.Period, shown.Capacity, shown.Room = &period, &f.Capacity, &f.Room
	}
	return shown
}
