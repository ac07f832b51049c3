package api

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const (
	textKeyExpiry   = "Invalid 'expires_at'"
	textKeyNetworks = "Invalid 'networks'"
	textKeyLimit    = "At most 50 keys"
	textKeyDeleted  = "Key deleted successfully"
)

func (s keys) routes() {
	const path = "/api-keys"
	texts := []string{
		"Invalid 'name'", "Invalid 'scopes'", watchpost.TextInvalidScopes, textKeyExpiry, watchpost.TextKeyPast, watchpost.TextGivesLonger,
		"Invalid 'daily_limits'", watchpost.TextInvalidLimits, watchpost.TextGivesLimits, textKeyNetworks, "Invalid 'networks': at most 20", watchpost.TextGivesNetworks,
	}
	unknown := endpoint.WithError(http.StatusNotFound, watchpost.TextKeyNotFound)
	access := endpoint.Teams(watchpost.ScopeKeys)
	endpoint.HandleCreate(s.API, path, s.createKey, func(_ createKeyRequest, made actors.KeyCreated) createKeyReply {
		reply := createKeyReply{scopedKey: showKey(&made.ScopedKeyView), Created: true}
		if made.Secret != "" {
			reply.Secret = &made.Secret
		}
		return reply
	}, s.Operation(access, "createAPIKey", "Create a key with scopes", endpoint.TagKeys), endpoint.Created(),
		endpoint.WithBody(texts...), endpoint.WithError(http.StatusConflict, textKeyLimit))
	endpoint.Handle(s.API, http.MethodGet, path, s.getKeys, s.Operation(access, "getAPIKeys", "List the keys with scopes and their last use", endpoint.TagKeys))
	endpoint.HandleBody(s.API, http.MethodPut, path, s.updateKey, s.Operation(access, "updateAPIKey", "Change a key with scopes", endpoint.TagKeys),
		endpoint.WithBody(append([]string{textMissingID}, texts...)...), unknown)
	endpoint.Handle(s.API, http.MethodDelete, path, s.deleteKey, s.Operation(access, "deleteAPIKey", "Delete a key with scopes", endpoint.TagKeys),
		endpoint.Query("id", "the key; may be given in a JSON body instead", openapi3.NewStringSchema()),
		endpoint.WithError(http.StatusBadRequest, textMissingID, "Invalid 'id'"), unknown)
}

// keyFields are the fields of a key that a request gives.
type keyFields struct {
	Name     *string                   `json:"name,omitempty" maxLength:"120,own" example:"Weekly report"`
	Scopes   *[]watchpost.Scope        `json:"scopes,omitempty" description:"what the key may do"`
	Expires  endpoint.Nullable         `json:"expires_at,omitempty" description:"RFC 3339; null: never" example:"2030-01-01T00:00:00Z"`
	Limits   *map[watchpost.Action]int `json:"daily_limits,omitempty" description:"units of an action that the key's tasks may need on a UTC day; without an action it is not limited"`
	Networks *[]string                 `json:"networks,omitempty" description:"the address ranges (CIDR) that may use the key; none: all"`

	patch watchpost.KeyPatch
}

// CleanField implements endpoint.FieldCleaner.
func (f *keyFields) CleanField(name string) error {
	switch {
	case name == "name":
		f.patch.Name = f.Name
	case name == "scopes":
		f.patch.Scopes = f.Scopes
	case name == "expires_at" && f.Expires.Set:
		at := time.Time{}
		if f.Expires.Value != "" {
			var err error
			if at, err = time.Parse(time.RFC3339, f.Expires.Value); err != nil || at.IsZero() {
				return watchpost.Errorf(watchpost.Invalid, textKeyExpiry)
			}
		}
		f.patch.ExpiresAt = new(at.UTC())
	case name == "daily_limits":
		f.patch.DailyLimits = f.Limits
	case name == "networks" && f.Networks != nil:
		networks := make([]netip.Prefix, len(*f.Networks))
		for i, text := range *f.Networks {
			var ok bool
			if networks[i], ok = watchpost.ParseNetwork(text); !ok {
				return watchpost.Errorf(watchpost.Invalid, textKeyNetworks)
			}
		}
		f.patch.Networks = &networks
	}
	return nil
}

type createKeyRequest struct{ keyFields }

// scopedKey is a key in a reply.
type scopedKey struct {
	ID        watchpost.KeyID          `json:"id"`
	Name      string                   `json:"name"`
	Scopes    []watchpost.Scope        `json:"scopes" validate:"required" description:"what the key may do"`
	ExpiresAt *endpoint.Timestamp      `json:"expires_at" description:"null: never"`
	Limits    map[watchpost.Action]int `json:"daily_limits" validate:"required" description:"units of an action that the key's tasks may need on a UTC day"`
	Today     map[watchpost.Action]int `json:"used_today" validate:"required" description:"units of the limited actions that were used on this UTC day"`
	Networks  []string                 `json:"networks" validate:"required" description:"the address ranges (CIDR) that may use the key; none: all"`
	CreatedAt endpoint.Timestamp       `json:"created_at"`
	Maker     *watchpost.KeyID         `json:"created_by_key" description:"the key with scopes that made it; null: a member or the team's key"`
	UsedAt    *endpoint.Timestamp      `json:"last_used_at" description:"null: never"`
	UsedFrom  string                   `json:"last_used_from" description:"the address; of IPv6 the network of 64 bits"`
}

// exportedKey is a key as its team made it.
type exportedKey struct {
	ID        watchpost.KeyID          `json:"id"`
	Name      string                   `json:"name"`
	Scopes    []watchpost.Scope        `json:"scopes"`
	ExpiresAt *endpoint.Timestamp      `json:"expires_at"`
	Limits    map[watchpost.Action]int `json:"daily_limits"`
	Networks  []string                 `json:"networks"`
	CreatedAt endpoint.Timestamp       `json:"created_at"`
	Maker     *watchpost.KeyID         `json:"created_by_key"`
}

func showKeySettings(k *watchpost.ScopedKey) exportedKey {
	s := showKey(&actors.ScopedKeyView{Key: *k})
	return exportedKey{s.ID, s.Name, s.Scopes, s.ExpiresAt, s.Limits, s.Networks, s.CreatedAt, s.Maker}
}

func showKey(v *actors.ScopedKeyView) scopedKey {
	k := &v.Key
	shown := scopedKey{
		ID: k.ID, Name: k.Name, Scopes: k.Scopes, ExpiresAt: endpoint.TimestampOrNil(k.ExpiresAt), Networks: make([]string, len(k.Networks)),
		CreatedAt: endpoint.TimestampOf(k.CreatedAt), UsedAt: endpoint.TimestampOrNil(v.Used.At), UsedFrom: v.Used.Client,
		Limits: map[watchpost.Action]int{}, Today: map[watchpost.Action]int{},
	}
	for i, network := range k.Networks {
		shown.Networks[i] = network.String()
	}
	for action, limit := range k.DailyLimits {
		shown.Limits[action], shown.Today[action] = limit, v.Today.Used[action]
	}
	if n := len(k.Makers); n > 0 {
		shown.Maker = &k.Makers[n-1]
	}
	return shown
}

type createKeyReply struct {
	scopedKey
	Secret  *string `json:"key" description:"shown only once; null in a repeated reply" example:"wpk_000abcdefghijklmnopqrstuvwxyz012345"`
	Created bool    `json:"created"`
}

func (s keys) createKey(ctx context.Context, key *actors.IdempotencyKey, request createKeyRequest) (actors.KeyCreated, error) {
	return endpoint.SendOnce(ctx, s.Registry, key, actors.CreateKey{Key: request.patch.Apply(watchpost.ScopedKey{})})
}

type scopedKeysReply struct {
	Keys  []scopedKey `json:"keys" validate:"required" description:"the oldest first"`
	Count int         `json:"count"`
}

func (s keys) getKeys(r *http.Request) (scopedKeysReply, error) {
	views, err := actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), actors.ListKeys{})
	reply := scopedKeysReply{Keys: make([]scopedKey, len(views)), Count: len(views)}
	for i := range views {
		reply.Keys[i] = showKey(&views[i])
	}
	return reply, err
}

type updateKeyRequest struct {
	ID string `json:"id" required:"Missing required parameter: id"`
	keyFields
}

type updateKeyReply struct {
	scopedKey
	Updated bool `json:"updated"`
}

func (s keys) updateKey(r *http.Request, request updateKeyRequest) (updateKeyReply, error) {
	update := actors.UpdateKey{ID: watchpost.KeyID(request.ID), Patch: request.patch}
	view, err := actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), update)
	return updateKeyReply{showKey(&view), true}, err
}

type deleteKeyReply struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
	Message string `json:"message" example:"Key deleted successfully"`
}

func (s keys) deleteKey(r *http.Request) (deleteKeyReply, error) {
	id, err := idOfDelete(s.Server, r)
	if err == nil {
		_, err = actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), actors.DeleteKey{ID: watchpost.KeyID(id)})
	}
	return deleteKeyReply{id, true, textKeyDeleted}, err
}
