package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is a row of the table of tools.
type tool struct {
	name, title, about string
	// routes of the API that it calls, as "GET /api-posts". A key that may call none of
	// them does not see it.
	routes []string
	does   effect
	params []param
	run    func(*call) (result, error)
}

// effect is what a tool changes.
type effect uint8

const (
	// reads the service only.
	reads effect = iota
	// looksUp has a browser read pages of the network.
	looksUp
	// adds something to the service.
	adds
	// replaces something in the service; twice is like once.
	replaces
	// manages makes, replaces or removes something that acts on the network by itself.
	manages
	// removes something from the service.
	removes
	// acts on the network; twice is like once.
	acts
	// actsAgain acts on the network with each call.
	actsAgain
)

// kind is the JSON type of an argument.
type kind string

const (
	text   kind = "string"
	number kind = "integer"
	amount kind = "number"
	flag   kind = "boolean"
	list   kind = "array" // of texts
	object kind = "object"
)

// param is an argument of a tool. Its name is that of the API where the API has the same.
type param struct {
	name     string
	kind     kind
	about    string
	allowed  []string // the values; none: any
	required bool
	items    map[string]any // schema of the elements of a list that are no texts
}

// described returns the tool as a client lists it.
func (t *tool) described() *sdk.Tool {
	properties, required := map[string]any{}, []string{}
	for _, p := range t.params {
		properties[p.name] = p.schema()
		if p.required {
			required = append(required, p.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	yes, no := true, false
	hints := &sdk.ToolAnnotations{Title: t.title, ReadOnlyHint: t.does == reads || t.does == looksUp, OpenWorldHint: &no}
	if t.does == looksUp || t.does == manages || t.does == acts || t.does == actsAgain {
		hints.OpenWorldHint = &yes
	}
	if !hints.ReadOnlyHint {
		hints.DestructiveHint = &yes // an action on the network stays
		if t.does == adds {
			hints.DestructiveHint = &no
		}
		hints.IdempotentHint = t.does == replaces || t.does == removes || t.does == acts
	}
	return &sdk.Tool{Name: t.name, Description: t.about, InputSchema: schema, Annotations: hints}
}

func (p *param) schema() map[string]any {
	s := map[string]any{"type": string(p.kind)}
	if p.about != "" {
		s["description"] = p.about
	}
	values := s
	if p.kind == list {
		values = map[string]any{"type": "string"}
		if p.items != nil {
			values = p.items
		}
		s["items"] = values
	}
	if len(p.allowed) > 0 {
		if p.kind == number {
			values["enum"] = json.RawMessage("[" + strings.Join(p.allowed, ",") + "]")
		} else {
			values["enum"] = p.allowed
		}
	}
	return s
}

// call is one call of a tool.
type call struct {
	context.Context
	api  *client
	args map[string]any
	// progress tells a waiting client how far the call is, if it asked for that.
	progress func(message string)
}

// handler returns what the protocol calls for the tool. An error of the tool is a result
// that the model reads.
func (t *tool) handler(clientOf func(context.Context) *client) sdk.ToolHandler {
	return func(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		api := clientOf(ctx)
		ctx, cancel := api.until(ctx)
		defer cancel()
		args, err := t.arguments(request.Params.Arguments)
		if err != nil {
			return failed(err), nil
		}
		done, err := t.run(&call{ctx, api, args, progressOf(ctx, request)})
		if err != nil {
			return failed(t.explained(err)), nil
		}
		return done.shown()
	}
}

// progressOf returns how a call tells its progress. A client that went away is noticed by
// the end of its context.
func progressOf(ctx context.Context, request *sdk.CallToolRequest) func(string) {
	token := request.Params.GetProgressToken()
	if token == nil {
		return func(string) {}
	}
	told := 0.0
	return func(message string) {
		told++
		_ = request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: told, Message: message})
	}
}

// arguments reads the arguments of a call. What values mean is up to the API.
func (t *tool) arguments(raw json.RawMessage) (map[string]any, error) {
	args := map[string]any{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, &advice{Text: "The arguments are not a JSON object.", Next: "Call again with an object of the arguments that the tool lists."}
		}
	}
	var names []string
	for _, p := range t.params {
		names = append(names, p.name)
	}
	for name := range args {
		if !slices.Contains(names, name) {
			return nil, &advice{Text: fmt.Sprintf("%s has no argument '%s'.", t.name, name), Allowed: names, Next: "Call again with the allowed arguments only."}
		}
	}
	for i := range t.params {
		p := &t.params[i]
		value, given := args[p.name]
		if value == nil || value == "" && !p.required {
			delete(args, p.name)
			given = false
		}
		if p.required && !given {
			return nil, &advice{Text: fmt.Sprintf("%s needs the argument '%s': %s.", t.name, p.name, p.about), Allowed: p.allowed, Next: "Call again with it."}
		}
		if given && !p.takes(args) {
			return nil, &advice{Text: fmt.Sprintf("Invalid '%s': it takes %s.", p.name, p.wanted()), Allowed: p.allowed, Next: "Correct it and call again."}
		}
	}
	return args, nil
}

func (p *param) wanted() string {
	words := map[kind]string{text: "a text", number: "a whole number", amount: "a number", flag: "true or false", list: "a list", object: "an object"}
	if len(p.allowed) > 0 {
		return "one of the allowed values"
	}
	return words[p.kind]
}

// takes reports whether an argument has the type and one of the values of the parameter.
// One text is a list of it.
func (p *param) takes(args map[string]any) bool {
	switch v := args[p.name].(type) {
	case string:
		if p.kind == list {
			args[p.name] = []any{v}
			return p.allows(v)
		}
		return p.kind == text && p.allows(v)
	case float64:
		return p.kind == amount || p.kind == number && v == float64(int64(v)) && p.allows(fmt.Sprint(int64(v)))
	case bool:
		return p.kind == flag
	case []any:
		return p.kind == list && !slices.ContainsFunc(v, func(one any) bool {
			s, isText := one.(string)
			return isText && !p.allows(s) || !isText && p.items == nil
		})
	case map[string]any:
		return p.kind == object
	}
	return false
}

func (p *param) allows(value string) bool {
	return len(p.allowed) == 0 || slices.Contains(p.allowed, value)
}

// explained adds to an error of the API the values that the tool allows for the argument
// that it names.
func (t *tool) explained(err error) error {
	var a *advice
	if !errors.As(err, &a) || len(a.Allowed) > 0 {
		return err
	}
	for _, p := range t.params {
		if len(p.allowed) > 0 && strings.Contains(a.Text, "'"+p.name+"'") {
			a.Allowed = p.allowed
		}
	}
	return a
}

// text returns a text argument; "" without one.
func (c *call) text(name string) string {
	s, _ := c.args[name].(string)
	return s
}

// flag reports whether an argument is true.
func (c *call) flag(name string) bool {
	b, _ := c.args[name].(bool)
	return b
}

// number returns a whole number between bounds; absent without one.
func (c *call) number(name string, least, absent, most int) int {
	n, given := c.args[name].(float64)
	if !given {
		return absent
	}
	return int(min(max(n, float64(least)), float64(most)))
}

// given reports whether there is an argument.
func (c *call) given(name string) bool { _, given := c.args[name]; return given }

// only returns the arguments of these names, for the body of a request.
func (c *call) only(names ...string) map[string]any {
	body := map[string]any{}
	for _, name := range names {
		if value, given := c.args[name]; given {
			body[name] = value
		}
	}
	return body
}
