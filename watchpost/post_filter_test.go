package watchpost_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestPostFilters: each filter has a unique name and describes the values of each
// parameter; one that the dashboard offers has a title, and a unique place among those
// like it.
func TestPostFilters(t *testing.T) {
	t.Parallel()
	names, params, places := map[string]bool{}, map[string]bool{}, map[[2]any]bool{}
	for _, f := range watchpost.PostFilters() {
		require.False(t, names[f.Name], f.Name)
		names[f.Name] = true
		require.Same(t, f, watchpost.PostFilterOf(f.Name))
		require.NotEmpty(t, f.Params, f.Name)
		require.Equal(t, f.Names == nil, f.Asked == nil, f.Name)
		require.False(t, f.Given(&watchpost.PostQuery{}), "%s: an empty query asks for nothing", f.Name)
		require.True(t, f.Holds(&watchpost.PostQuery{}, samplePost()), f.Name)
		for _, p := range f.Params {
			require.False(t, params[p.Name], p.Name)
			params[p.Name] = true
			require.NotEmpty(t, p.About, p.Name)
			require.NotEmpty(t, p.Example, "%s: an example", p.Name)
			_, flag := p.Example.(bool)
			require.Equal(t, p.Flag != nil, flag, "%s: an example of its type", p.Name)
			takes := 0
			for _, is := range []bool{p.Flag != nil, p.Texts != nil, p.Text != nil, p.Moment != nil} {
				if is {
					takes++
				}
			}
			require.Equal(t, 1, takes, "%s: what it takes", p.Name)
		}
		if f.Place > 0 {
			place := [2]any{f.Params[0].Flag != nil, f.Place}
			require.False(t, places[place], f.Name)
			places[place] = true
			require.NotEmpty(t, f.Title, f.Name)
		}
	}
}
