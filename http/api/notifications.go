package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const (
	textNoType        = "Missing required parameter: type"
	textTargetDeleted = "Target deleted successfully"
	textTargetLimit   = "At most 20 notification targets"
)

// targetTexts are the errors of a target's fields.
var targetTexts = slices.Concat([]string{"Invalid 'name'", "Invalid 'type'", "Invalid 'url'", "Invalid 'bot_token'", "Invalid 'chat_id'", "Invalid 'user_emails'"}, conditionTexts,
	[]string{"Invalid 'alert'", "Invalid 'alert.of'", "Invalid 'alert.minimum'", "Invalid 'batch_minutes'", "Invalid 'quiet_hours'", "Invalid 'max_per_hour'", "disable must be a boolean value"})

func (s notifications) routes() {
	const path = "/api-notifications"
	unknown := endpoint.WithError(http.StatusNotFound, watchpost.TextTargetNotFound)
	member := endpoint.WithError(http.StatusNotFound, endpoint.TextUserNotFound)
	endpoint.HandleCreate(s.API, path, s.createTarget, func(_ createTargetRequest, made actors.TargetCreated) createTargetReply {
		return createTargetReply{showTarget(made.View), made.Secret, true}
	}, s.Operation(endpoint.Teams(watchpost.ScopeNotifications), "createNotificationTarget", "Create a notification target", endpoint.TagNotifications),
		endpoint.WithBody(slices.Concat([]string{textNoType}, targetTexts)...), withForeignErrors(), member, endpoint.WithError(http.StatusConflict, textTargetLimit))
	endpoint.Handle(s.API, http.MethodGet, path, s.getTargets, s.Operation(endpoint.Teams(watchpost.ScopeNotifications), "getNotificationTargets", "List the notification targets", endpoint.TagNotifications))
	endpoint.HandleBody(s.API, http.MethodPut, path, s.updateTarget, s.Operation(endpoint.Teams(watchpost.ScopeNotifications), "updateNotificationTarget", "Change or resume a notification target", endpoint.TagNotifications),
		endpoint.WithBody(slices.Concat([]string{textMissingID}, targetTexts)...), unknown, member)
	endpoint.Handle(s.API, http.MethodDelete, path, s.deleteTarget, s.Operation(endpoint.Teams(watchpost.ScopeNotifications), "deleteNotificationTarget", "Delete a notification target and what waits for it", endpoint.TagNotifications),
		endpoint.Query("id", "the target; may be given in a JSON body instead", openapi3.NewStringSchema()),
		endpoint.WithError(http.StatusBadRequest, textMissingID, "Invalid 'id'"), unknown)
	endpoint.Handle(s.API, http.MethodGet, path+"/deliveries", s.getDeliveries, s.Operation(endpoint.Teams(watchpost.ScopeNotifications), "getNotificationDeliveries", "List the last 100 deliveries of a target, or of all targets", endpoint.TagNotifications),
		endpoint.Query("id", "the target; default: all", openapi3.NewStringSchema()), endpoint.WithError(http.StatusBadRequest, "Invalid 'id'"))
	endpoint.HandleBody(s.API, http.MethodPost, path+"/send", s.sendNow, s.Operation(endpoint.Teams(watchpost.ScopeNotifications), "sendNotification", "Send a test message, or a delivery again", endpoint.TagNotifications),
		endpoint.WithBody(textMissingID, "Invalid 'delivery_id'"), unknown, endpoint.WithError(http.StatusNotFound, "Delivery not found"), endpoint.WithError(http.StatusConflict, watchpost.TextSendsNow))
}

// targetFields are the fields of a target that a request gives.
type targetFields struct {
	Name   *string               `json:"name,omitempty" maxLength:"120,own" example:"Slack, #market-watch"`
	Type   *watchpost.TargetKind `json:"type,omitempty" example:"slack"`
	URL    *string               `json:"url,omitempty" maxLength:"2048,own" example:"https://hooks.slack.example/services/T/B/x"`
	Token  *string               `json:"bot_token,omitempty" maxLength:"200" example:"123456:ABC"`
	Chat   *string               `json:"chat_id,omitempty" maxLength:"100,own" example:"42"`
	Emails *[]string             `json:"user_emails,omitempty"`
	conditionFields
	Alert   *targetAlert `json:"alert,omitempty"`
	Batch   *float64     `json:"batch_minutes,omitempty" example:"30"`
	Quiet   *dailyHours  `json:"quiet_hours,omitempty"`
	PerHour *int         `json:"max_per_hour,omitempty" example:"60"`
	Disable *bool        `json:"disable,omitempty" invalid:"disable must be a boolean value"`
}

// noAlert is the kind of the alert of a target that has none.
const noAlert = "none"

// targetAlert is the alert of a target in requests and replies.
type targetAlert struct {
	Of      watchpost.AlertKind `json:"of" validate:"oneof=none spike negative_surge" example:"spike"`
	Minimum *int                `json:"minimum,omitempty" example:"20"`
}

// alert returns the alert, not yet cleaned.
func (a *targetAlert) alert() watchpost.Alert {
	alert := watchpost.Alert{Of: a.Of, Minimum: watchpost.DefaultAlertMinimum}
	if a.Minimum != nil {
		alert.Minimum = *a.Minimum
	}
	if a.Of == noAlert {
		return watchpost.Alert{}
	}
	return alert
}

func showAlert(a watchpost.Alert) targetAlert {
	if a.Of == "" {
		a.Of = noAlert
	}
	return targetAlert{a.Of, &a.Minimum}
}

// patch returns the change that the fields make.
func (f *targetFields) patch() watchpost.TargetPatch {
	p := watchpost.TargetPatch{
		Name: f.Name, URL: f.URL, Chat: f.Chat, Emails: (&ruleFields{Emails: f.Emails}).emails(), If: f.conditionFields.patch(),
		PerHour: f.PerHour, Disabled: f.Disable, Token: f.Token,
	}
	if f.Alert != nil {
		p.Alert = new(f.Alert.alert())
	}
	if f.Batch != nil {
		p.Batch = new(hours(*f.Batch / 60))
	}
	if f.Quiet != nil {
		p.Quiet = new(f.Quiet.hours())
	}
	return p
}

type createTargetRequest struct {
	Watchlist string `json:"watchlist_id,omitempty"`
	targetFields
}

// CleanField implements endpoint.FieldCleaner.
func (r *createTargetRequest) CleanField(name string) error {
	if name == "type" && r.Type == nil {
		return watchpost.Errorf(watchpost.Invalid, textNoType)
	}
	return nil
}

// targetSettings is a target as its team made it, without its secret.
type targetSettings struct {
	ID        watchpost.TargetID    `json:"id"`
	Name      string                `json:"name"`
	Type      watchpost.TargetKind  `json:"type"`
	Watchlist watchpost.WatchlistID `json:"watchlist_id"`
	URL       string                `json:"url"`
	Chat      string                `json:"chat_id"`
	Emails    []string              `json:"user_emails" validate:"required"`
	shownConditions
	Alert     targetAlert        `json:"alert"`
	Batch     float64            `json:"batch_minutes"`
	Quiet     dailyHours         `json:"quiet_hours"`
	PerHour   int                `json:"max_per_hour"`
	Disabled  bool               `json:"disabled"`
	CreatedAt endpoint.Timestamp `json:"createdAt"`
}

// shownTarget is a target in a reply.
type shownTarget struct {
	targetSettings
	OfWatchlist  bool                `json:"of_watchlist"`
	Paused       string              `json:"paused"`
	FailingSince *endpoint.Timestamp `json:"failing_since"`
	DeliveredAt  *endpoint.Timestamp `json:"delivered_at"`
	NextAt       *endpoint.Timestamp `json:"next_attempt_at"`
	Waiting      int                 `json:"waiting_posts"`
	Dropped      int                 `json:"dropped_posts"`
}

func showTarget(v actors.TargetView) shownTarget {
	return shownTarget{
		targetSettings: showTargetSettings(&v.Target), OfWatchlist: v.OfWatchlist,
		Paused: v.Paused, FailingSince: endpoint.TimestampOrNil(v.FailingSince), DeliveredAt: endpoint.TimestampOrNil(v.DeliveredAt),
		NextAt: endpoint.TimestampOrNil(v.NextAt), Waiting: v.Waiting, Dropped: v.Dropped,
	}
}

func showTargetSettings(t *watchpost.NotificationTarget) targetSettings {
	return targetSettings{
		ID: t.ID, Name: t.Name, Type: t.Kind, Watchlist: t.Watchlist, URL: t.URL, Chat: t.Chat, Emails: textsOrNone(t.Emails),
		shownConditions: showConditions(&t.If), Alert: showAlert(t.Alert), Batch: t.Batch.Minutes(), Quiet: showHours(&t.Quiet), PerHour: t.PerHour, Disabled: t.Disabled,
		CreatedAt: endpoint.TimestampOf(t.CreatedAt),
	}
}

type createTargetReply struct {
	shownTarget
	Secret  string `json:"secret,omitempty"`
	Created bool   `json:"created"`
}

func (s notifications) createTarget(ctx context.Context, key *actors.IdempotencyKey, request createTargetRequest) (actors.TargetCreated, error) {
	kind := *request.Type
	t := watchpost.NotificationTarget{Name: string(kind), Kind: kind, Watchlist: watchpost.WatchlistID(request.Watchlist), PerHour: watchpost.DefaultPerHour}
	if known := watchpost.NotificationKindOf(kind); known != nil {
		t.Batch = known.Batch
	}
	patch, secret := request.patch(), ""
	t = patch.Apply(t)
	if patch.Token != nil {
		secret = *patch.Token
	}
	made, err := endpoint.SendOnce(ctx, s.Registry, key, actors.CreateTarget{Target: t, Secret: secret})
	if err != nil && watchpost.KindOf(err) == watchpost.NotFound && request.Watchlist != "" {
		if denied := s.Registry.WatchlistAccess(ctx, endpoint.TeamOf(ctx), request.Watchlist); denied != nil {
			return actors.TargetCreated{}, denied
		}
	}
	return made, err
}

type targetsReply struct {
	Targets []shownTarget `json:"targets" validate:"required"`
	Count   int           `json:"count"`
}

func (s notifications) getTargets(r *http.Request) (targetsReply, error) {
	views, err := actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), actors.ListTargets{})
	reply := targetsReply{Targets: []shownTarget{}, Count: len(views)}
	for _, v := range views {
		reply.Targets = append(reply.Targets, showTarget(v))
	}
	return reply, err
}

type updateTargetRequest struct {
	ID string `json:"id" required:"Missing required parameter: id"`
	targetFields
}

type updateTargetReply struct {
	Target  shownTarget `json:"target"`
	Updated bool        `json:"updated"`
}

func (s notifications) updateTarget(r *http.Request, request updateTargetRequest) (updateTargetReply, error) {
	update := actors.UpdateTarget{ID: watchpost.TargetID(request.ID), Patch: request.patch()}
	view, err := actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), update)
	return updateTargetReply{showTarget(view), true}, err
}

type deleteTargetReply struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
	Message string `json:"message" example:"Target deleted successfully"`
}

func (s notifications) deleteTarget(r *http.Request) (deleteTargetReply, error) {
	id, err := idOfDelete(s.Server, r)
	if err == nil {
		_, err = actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), actors.DeleteTarget{ID: watchpost.TargetID(id)})
	}
	return deleteTargetReply{id, true, textTargetDeleted}, err
}

// shownAlerted is what an alert tells, in a reply.
type shownAlerted struct {
	Of    watchpost.AlertKind `json:"of" validate:"oneof=spike negative_surge" description:"spike or negative_surge"`
	Day   string              `json:"day" description:"date of the day in UTC" example:"2030-11-18"`
	Count int                 `json:"count" description:"posts of the day when the message was made"`
	Usual float64             `json:"usual" description:"median of the days of the four weeks before"`
	Words []string            `json:"words" validate:"required" description:"up to five words that are new in the posts of the day"`
}

func showAlerted(a *watchpost.Alerted) *shownAlerted {
	if a == nil {
		return nil
	}
	return &shownAlerted{a.Of, a.Day.Format(time.DateOnly), a.Count, a.Usual, endpoint.Whole(a.Words)}
}

// shownDelivery is a delivery in a reply.
type shownDelivery struct {
	ID       string                  `json:"id"`
	Target   watchpost.TargetID      `json:"target_id"`
	Kind     string                  `json:"kind" validate:"oneof=posts alert test replay"`
	Posts    []watchpost.PostID      `json:"post_ids" validate:"required"`
	Alert    *shownAlerted           `json:"alert"`
	State    watchpost.DeliveryState `json:"state" validate:"oneof=pending delivered failed"`
	At       endpoint.Timestamp      `json:"at"`
	Attempts int                     `json:"attempts"`
	NextAt   *endpoint.Timestamp     `json:"next_attempt_at"`
	EndedAt  *endpoint.Timestamp     `json:"ended_at"`
	Status   int                     `json:"http_status"`
	Error    string                  `json:"error_text"`
}

func showDelivery(d *actors.TargetDelivery) shownDelivery {
	return shownDelivery{ID: d.ID, Target: d.Target, Kind: d.Kind, Posts: append([]watchpost.PostID{}, d.Posts...), Alert: showAlerted(d.Alert), State: d.State, At: endpoint.TimestampOf(d.At), Attempts: d.Attempts,
		NextAt: endpoint.TimestampOrNil(d.NotBefore), EndedAt: endpoint.TimestampOrNil(d.EndedAt), Status: d.Code, Error: d.Error}
}

type deliveriesReply struct {
	Deliveries []shownDelivery `json:"deliveries" validate:"required"`
	Count      int             `json:"count"`
}

func (s notifications) getDeliveries(r *http.Request) (deliveriesReply, error) {
	p := endpoint.ReadParams(r)
	id := p.One("id")
	if p.Err != nil {
		return deliveriesReply{}, p.Err
	}
	log, err := s.Registry.Deliveries(r.Context(), endpoint.TeamOf(r.Context()), watchpost.TargetID(id))
	reply := deliveriesReply{Deliveries: []shownDelivery{}, Count: len(log)}
	for _, d := range log {
		reply.Deliveries = append(reply.Deliveries, showDelivery(&d))
	}
	return reply, err
}

type sendNowRequest struct {
	ID       string `json:"id" required:"Missing required parameter: id"`
	Delivery string `json:"delivery_id,omitempty"`
}

func (s notifications) sendNow(r *http.Request, request sendNowRequest) (shownDelivery, error) {
	d, err := actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), actors.SendNow{ID: watchpost.TargetID(request.ID), Delivery: request.Delivery})
	return showDelivery(&actors.TargetDelivery{Target: watchpost.TargetID(request.ID), Delivery: d}), err
}
