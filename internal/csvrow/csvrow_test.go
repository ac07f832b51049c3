package csvrow_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/csvrow"
)

// TestCells compares rows with a reader of CSV: it gets each cell back, a formula with
// an apostrophe before it.
func TestCells(t *testing.T) {
	t.Parallel()
	some := rapid.StringOf(rapid.SampledFrom([]rune(`=+-@'" ,;ab` + "\t\r\nπ")))
	rapid.Check(t, func(t *rapid.T) {
		cells := append(rapid.SliceOfN(some, 1, 5).Draw(t, "cells"), "end") // a line with one empty cell is no record
		r := csv.NewReader(strings.NewReader(string(csvrow.Append(nil, cells...))))
		got, err := r.Read()
		require.NoError(t, err)
		for i, cell := range cells {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				cell = "'" + cell
			}
			require.Equal(t, strings.ReplaceAll(cell, "\r\n", "\n"), got[i]) // as the reader does
		}
	})
}

// TestObjects compares the rows of objects with what package json reads of them.
func TestObjects(t *testing.T) {
	t.Parallel()
	type part struct {
		ID string `json:"id"`
		N  int    `json:"n"`
	}
	type object struct {
		Text  string   `json:"text"`
		N     float64  `json:"n"`
		Flag  bool     `json:"flag"`
		Null  *string  `json:"null"`
		List  []string `json:"list"`
		Parts []part   `json:"parts"`
		Part  part     `json:"part"`
	}
	some := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\"\\{}[],:<>&\u2028\n\t=+-@😀"))))
	rapid.Check(t, func(t *rapid.T) {
		o := object{Text: some.Draw(t, "text"), N: rapid.Float64Range(-1e6, 1e6).Draw(t, "n"), Flag: rapid.Bool().Draw(t, "flag"), List: rapid.SliceOfN(some, 0, 3).Draw(t, "list")}
		var ids []string
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			o.Parts = append(o.Parts, part{ID: some.Draw(t, "id"), N: 1})
			ids = append(ids, o.Parts[len(o.Parts)-1].ID)
		}
		o.Part = part{ID: some.Draw(t, "part")}
		raw, err := json.Marshal(o)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &o)) // an invalid character was replaced here
		columns := []csvrow.Column{{Name: "a", Member: "text"}, {Name: "b", Member: "n"}, {Name: "c", Member: "flag"}, {Name: "d", Member: "null"}, {Name: "e", Member: "list"}, {Name: "f", Member: "parts", Of: "id"}, {Name: "g", Member: "part", Of: "id"}, {Name: "h", Member: "none"}}
		got := (&csvrow.Rows{Columns: columns}).Append(nil, raw)
		n, err := json.Marshal(o.N)
		require.NoError(t, err)
		want := csvrow.Append(nil, o.Text)
		want = append(append(append(want[:len(want)-1], ','), n...), ',')
		for i := range o.Parts {
			ids[i] = o.Parts[i].ID
		}
		want = append(want, csvrow.Append(nil, fmt.Sprint(o.Flag), "", strings.Join(o.List, csvrow.Separator), strings.Join(ids, csvrow.Separator), o.Part.ID, "")...)
		require.Equal(t, string(want), string(got))
	})
}
