package watchpost

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// missing says what the row of a task type lacks.
func missing(row *taskTypeRow) (lacks []string) {
	lack := func(holds bool, what string, args ...any) {
		if !holds {
			lacks = append(lacks, fmt.Sprintf(what, args...))
		}
	}
	lack(row.name != "", "a name")
	lack(row.title != "", "a title for people")
	lack(row.icon != "", "an icon of the dashboard")
	lack(row.symbol != "", "a symbol of the extension")
	lack(row.input != nil, "the shape of its input")
	lack(row.scan == (row.output == nil), "the shape of its output, which only a scan has not")
	lack(len(row.subject) > 0, "the fields that say what it is about")
	_, counted := AllowanceOf(row.action)
	lack(counted || row.action == ActionNone, "an allowance of the action %q", row.action)
	if row.input != nil {
		fields := inputFieldsOf(reflect.TypeOf(row.input))
		for _, name := range []string{slices.Concat(row.subject, []string{""})[0], row.text} {
			if name == "" {
				continue
			}
			lack(slices.ContainsFunc(fields, func(f inputField) bool { return f.name == name }), "the field %s in its input", name)
		}
	}
	if w := row.write; w != nil {
		lack(!row.scan && !row.own, "a reason to read as well")
		lack(!w.once || w.shown, "a page that shows an effect that must not happen twice")
		lack(!w.once || w.on != objectNone, "what its effect is on")
		lack(w.undoes == "" || w.undoes.writing().once && w.undoes.writing().on == w.on, "an effect that it undoes")
		lack(w.needless == "" || w.shown, "a page that shows that it is needless")
		lack((row.titlePost != "") == (w.on == objectPost), "a title with a post, which only a write on a post has")
	}
	return lacks
}

// TestTaskTypesAreWhole: each row of the table has what a task type needs.
func TestTaskTypesAreWhole(t *testing.T) {
	t.Parallel()
	for i := range taskTypes {
		require.Empty(t, missing(&taskTypes[i]), "the task type %s lacks", taskTypes[i].name)
	}
	require.Len(t, missing(&taskTypeRow{}), 7, "a row without anything lacks everything")
	require.Equal(t, []string{"the field note in its input"}, missing(&taskTypeRow{
		name: "x", title: "x", icon: "x", symbol: "x", input: ProfileInput{}, output: func() any { return nil }, subject: []string{"profile_slug"}, text: "note",
	}))
}

// TestUnknownTaskType: a type of a later release has no row.
func TestUnknownTaskType(t *testing.T) {
	t.Parallel()
	unknown := TaskType("agent_of_tomorrow")
	require.False(t, unknown.Known() || unknown.Writes() || unknown.Scan() || unknown.OfMember() || unknown.OnPost() || unknown.PageDecides())
	require.Equal(t, "agent_of_tomorrow", unknown.Title())
	require.Equal(t, ActionNone, unknown.Action())
	require.Nil(t, TaskOutputShape(unknown))
}

// updateExtension rewrites the extension's part of the table:
// go test ./watchpost -run TestTaskTypesOfTheExtension -update.
var updateExtension = flag.Bool("update", false, "write the extension's part of the table of task types")

const extensionTaskTypes = "../extension/src/shared/task_types.ts"

// TestTaskTypesOfTheExtension: the extension has the table of this package.
func TestTaskTypesOfTheExtension(t *testing.T) {
	t.Parallel()
	want := extensionTable()
	if *updateExtension {
		require.NoError(t, os.WriteFile(extensionTaskTypes, want, 0o644))
	}
	have, err := os.ReadFile(extensionTaskTypes)
	require.NoError(t, err)
	require.Equal(t, string(want), string(have), "run go test ./watchpost -run TestTaskTypesOfTheExtension -update")
}

// extensionTable writes the table in TypeScript.
func extensionTable() []byte {
	var b bytes.Buffer
	b.WriteString(`// The task types as the service has them. Generated from watchpost/task_types.go:
//
//	go test ./watchpost -run TestTaskTypesOfTheExtension -update

/** What a session knows of a task type. */
export interface TaskTypeRow {
  /** The class of its symbol. */
  symbol: string
  /** The kind of page on which it begins, that of the person, company or post that the field names; absent: any page of the account. */
  page?: 'member' | 'company' | 'post' | 'thread'
  names?: string
  /**
   * Of a write; shown: the page alone shows whether it is done, so that repeating it cannot do it twice; needless: the error
   * of one that the page shows as done before it began, absent if that is as good as done.
   */
  write?: { shown: boolean; needless?: string }
}

export const taskTypes = {
`)
	for i := range taskTypes {
		row := &taskTypes[i]
		fields := []string{"symbol: '" + row.symbol + "'"}
		if row.page != PageAny {
			fields = append(fields, fmt.Sprintf("page: '%s', names: '%s'", row.page, row.subject[0]))
		}
		if w := row.write; w != nil {
			needless := ""
			if w.needless != "" {
				needless = ", needless: '" + w.needless + "'"
			}
			fields = append(fields, fmt.Sprintf("write: { shown: %t%s }", w.shown, needless))
		}
		fmt.Fprintf(&b, "  %s: { %s },\n", row.name, strings.Join(fields, ", "))
	}
	b.WriteString(`} as const satisfies Record<string, TaskTypeRow>

export type TaskType = keyof typeof taskTypes
export type WriteType = { [T in TaskType]: (typeof taskTypes)[T] extends { write: object } ? T : never }[TaskType]
export type ReadType = Exclude<TaskType, WriteType>

// The inputs.
`)
	b.Write(extensionInputs())
	return b.Bytes()
}

// extensionInputs writes each shape of an input once, and which type has which.
func extensionInputs() []byte {
	var shapes, inputs bytes.Buffer
	written := map[string]bool{}
	inputs.WriteString("\nexport interface Inputs {\n")
	for i := range taskTypes {
		shape := reflect.TypeOf(taskTypes[i].input)
		fmt.Fprintf(&inputs, "  %s: %s\n", taskTypes[i].name, shape.Name())
		if written[shape.Name()] {
			continue
		}
		written[shape.Name()] = true
		var fields []string
		for _, f := range inputFieldsOf(shape) {
			optional := ""
			if f.optional {
				optional = "?"
			}
			fields = append(fields, f.name+optional+": "+scriptTypes[f.kind])
		}
		fmt.Fprintf(&shapes, "export interface %s { %s }\n", shape.Name(), strings.Join(fields, "; "))
	}
	inputs.WriteString("}\n")
	return append(shapes.Bytes(), inputs.Bytes()...)
}

// scriptTypes are the types of fields in TypeScript, as JSON carries them.
var scriptTypes = map[reflect.Type]string{
	reflect.TypeFor[string](): "string", reflect.TypeFor[int](): "number", reflect.TypeFor[[]string](): "string[]", reflect.TypeFor[time.Time](): "string",
}

type inputField struct {
	name     string
	kind     reflect.Type
	optional bool
}

// inputFieldsOf returns the fields of a shape as JSON has them, those of embedded
// shapes included.
func inputFieldsOf(shape reflect.Type) (fields []inputField) {
	for _, f := range reflect.VisibleFields(shape) {
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, inputField{name, f.Type, options == "omitempty"})
	}
	return fields
}
