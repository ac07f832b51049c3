package api

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// The inputs and outputs of tasks, a type each. task_input names its type, so
// that generated clients can tell them apart.

// Document returns the document of the API as JSON.
func Document(s *endpoint.Server) ([]byte, error) {
	types := []any{
		keywordWatchlistList{}, keywordWatchlistDetail{}, peopleWatchlistList{}, peopleWatchlistDetail{}, companyWatchlistList{}, companyWatchlistDetail{},
		createKeywordWatchlistRequest{}, updateKeywordWatchlistRequest{}, createByPrompt{}, updateByPrompt{},
	}
	return s.Document(types, func(f *fuego.Server, schemas openapi3.Schemas) {
		for name, schema := range handmadeSchemas(schemas) {
			schemas[name] = schema.NewRef()
		}
		taskSchemas(f, schemas)
		endpoint.OrNull(schemas, "teamMember", "account")
		changeSchema(schemas)
	})
}

// changeSchema says what the data of a change may be.
func changeSchema(schemas openapi3.Schemas) {
	change := schemas["change"].Value
	data := openapi3.NewSchema()
	data.Description = change.Properties["data"].Value.Description
	for _, name := range []string{"post", "taskStatus", "keywordWatchlistDetail", "peopleWatchlistDetail", "companyWatchlistDetail"} {
		data.AnyOf = append(data.AnyOf, openapi3.NewSchemaRef(endpoint.SchemaPrefix+name, schemas[name].Value))
	}
	done := openapi3.NewObjectSchema().WithProperty("interaction_type", openapi3.NewStringSchema().WithEnum("like", "comment")).WithRequired([]string{"interaction_type"})
	done.Description = "what the team did on a post"
	data.AnyOf = append(data.AnyOf, done.NewRef())
	schemas["changeData"] = data.NewRef()
	change.Properties["data"] = openapi3.NewSchemaRef(endpoint.SchemaPrefix+"changeData", data)
	endpoint.OrNull(schemas, "change", "data")
}

// camelType makes a schema's name of a task type's: agent_like_post is
// agentLikePost.
func camelType(t watchpost.TaskType) string { return camel(strings.ReplaceAll(string(t), "_", "-")) }

// taskSchemas adds the typed inputs and outputs of tasks, and refers to them in
// the status of a task.
func taskSchemas(f *fuego.Server, schemas openapi3.Schemas) {
	inputs, outputs := openapi3.NewSchema(), openapi3.NewSchema()
	inputs.Description = "The fields of the request with the type of the task."
	inputs.Discriminator = &openapi3.Discriminator{PropertyName: "task_type", Mapping: openapi3.StringMap[openapi3.MappingRef]{}}
	outputs.Description = "What the task brought, by its type, or why it failed."
	shown := map[string]bool{}
	add := func(union *openapi3.Schema, name string) {
		if !shown[name] {
			shown[name] = true
			union.OneOf = append(union.OneOf, openapi3.NewSchemaRef(endpoint.SchemaPrefix+name, schemas[name].Value))
		}
	}
	schemas["taskPost"] = taskPost(schemas["post"].Value).NewRef()
	for i := range taskEndpoints {
		task := &taskEndpoints[i]
		name := camelType(task.kind) + "Input"
		schemas[name] = inputSchema(f, task).NewRef()
		inputs.Discriminator.Mapping[string(task.kind)] = openapi3.MappingRef{Ref: endpoint.SchemaPrefix + name}
		add(inputs, name)
		add(outputs, outputSchema(f, schemas, task.kind))
	}
	schemas["taskFailure"] = failureSchema().NewRef()
	add(outputs, "taskFailure")
	schemas["taskInput"], schemas["taskOutput"] = inputs.NewRef(), outputs.NewRef()
	for _, name := range []string{"taskStatus", "taskStatusReply", "listedTask"} {
		shows := schemas[name].Value.Properties
		if shows["task_input"] != nil {
			shows["task_input"] = openapi3.NewSchemaRef(endpoint.SchemaPrefix+"taskInput", inputs)
		}
		shows["task_output"] = openapi3.NewSchemaRef(endpoint.SchemaPrefix+"taskOutput", outputs)
		endpoint.OrNull(schemas, name, "task_output")
	}
	endpoint.OrNull(schemas, "expected", "reason")
	endpoint.OrNull(schemas, "shownDelivery", "alert")
}

// schemaOf describes a type without adding it to the document.
func schemaOf(f *fuego.Server, v any) *openapi3.Schema {
	tag := fuego.SchemaTagFromType(f.OpenAPI, v)
	if tag.Value != nil && len(tag.Value.Properties) > 0 {
		return tag.Value
	}
	name := strings.TrimPrefix(tag.Ref, endpoint.SchemaPrefix)
	return f.OpenAPI.Description().Components.Schemas[name].Value
}

// inputSchema is a request with its task's type. Fields of the request that makes the
// same task by a post's id are there if that one was sent.
func inputSchema(f *fuego.Server, task *taskEndpoint) *openapi3.Schema {
	s := openapi3.NewObjectSchema()
	s.Description = "The input of " + task.of + "."
	s.Properties = openapi3.Schemas{"task_type": openapi3.NewStringSchema().WithEnum(string(task.kind)).NewRef()}
	s.Required = []string{"task_type"}
	for i, request := range []any{task.body, task.byPost} {
		if request == nil {
			continue
		}
		given := schemaOf(f, request)
		for name, property := range given.Properties {
			if name == fieldMaxAge {
				continue // is no part of the task
			}
			if _, known := s.Properties[name]; !known {
				s.Properties[name] = property
			}
		}
		if i == 0 {
			s.Required = append(s.Required, given.Required...)
		}
	}
	slices.Sort(s.Required)
	return s
}

// outputSchema adds the schema of a task type's output and returns its name.
// Every field of an output is there. Task types may share an output.
func outputSchema(f *fuego.Server, schemas openapi3.Schemas, kind watchpost.TaskType) string {
	shape := watchpost.TaskOutputShape(kind)
	tag := fuego.SchemaTagFromType(f.OpenAPI, shape)
	name := strings.TrimPrefix(tag.Ref, endpoint.SchemaPrefix)
	s := schemas[name].Value
	s.Required = slices.Sorted(maps.Keys(s.Properties))
	for _, of := range []string{name, "profileDetail"} {
		if schemas[of] != nil {
			noNullLists(schemas[of].Value)
		}
	}
	if posts := s.Properties["posts"]; posts != nil {
		s.Properties["posts"] = listOf(openapi3.NewSchemaRef(endpoint.SchemaPrefix+"taskPost", schemas["taskPost"].Value))
	}
	return name
}

// noNullLists says that no list of an output is null.
func noNullLists(s *openapi3.Schema) {
	for _, property := range s.Properties {
		if property.Value != nil && property.Value.Type.Includes(openapi3.TypeArray) {
			property.Value.Type = &openapi3.Types{openapi3.TypeArray}
		}
	}
}

func listOf(items *openapi3.SchemaRef) *openapi3.SchemaRef {
	s := openapi3.NewArraySchema()
	s.Items = items
	return s.NewRef()
}

// taskPost is a post without the fields of a team.
func taskPost(post *openapi3.Schema) *openapi3.Schema {
	s := *post
	s.Description = "A post of a task's output: a post without what is a team's."
	s.Properties = maps.Clone(post.Properties)
	for _, name := range []string{
		"id", "tracking_lists_id", "created_at", "tags", "tagDescriptions", "relevance_score",
		"bookmark", "liked", "commented", "potential_lead", "matched",
	} {
		delete(s.Properties, name)
	}
	s.Required = slices.Sorted(maps.Keys(s.Properties))
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == "videos" })
	return &s
}

// failureSchema is the output of a failed task.
func failureSchema() *openapi3.Schema {
	text := openapi3.NewStringSchema
	reason := openapi3.NewObjectSchema().WithProperty("code", text()).WithProperty("message", text()).WithRequired([]string{"code", "message"})
	resolved := openapi3.NewObjectSchema().WithProperty("acted", openapi3.NewBoolSchema()).
		WithProperty("at", text().WithFormat("date-time")).WithRequired([]string{"acted", "at"})
	return openapi3.NewObjectSchema().WithProperty("error", reason).WithProperty("retry_safe", openapi3.NewBoolSchema()).
		WithProperty("resolved", resolved).WithRequired([]string{"error", "retry_safe"})
}
