package format

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/enginetest"
	"watchpost/persistence/faultstore"
)

const team persistence.Space = "01890000-0000-7000-8000-000000000001"

// made returns a made-up migration as every one has to be: it rewrites the records of
// a format one by one, leaves those of later formats, and may be repeated.
func made(format int) func(context.Context, persistence.Store) error {
	return func(ctx context.Context, s persistence.Store) error {
		epoch, err := s.Activate(ctx, team)
		if err != nil {
			return err
		}
		view, err := s.View(ctx)
		if err != nil {
			return err
		}
		defer view.Close()
		of, next := fmt.Sprintf("%d:", format), fmt.Sprintf("%d:", format+1)
		var failure error
		err = view.Scan(team, nil, nil, func(k, v []byte) bool {
			rest, old := strings.CutPrefix(string(v), of)
			if old {
				batch := &persistence.Batch{}
				batch.Put(append([]byte{}, k...), []byte(next+rest))
				failure = persistence.Commit(ctx, s, team, epoch, batch)
			}
			return failure == nil
		})
		if err == nil {
			err = failure
		}
		return err
	}
}

// FuzzMigrations: data with any version and any records is brought to the present
// format, whichever commits fail, or refused and left as it is.
func FuzzMigrations(f *testing.F) {
	f.Add("1", "a\nb\nc", uint(2), uint(3), false)
	f.Add("2", "3:a\n2:b", uint(3), uint(1), true)
	f.Add("", "", uint(0), uint(0), false)
	for _, hostile := range []string{"9", "-1", "0", "1 ", "+1", "01", "99999999999999999999", "\x00"} {
		f.Add(hostile, "1:a", uint(1), uint(1), true)
	}
	f.Fuzz(func(t *testing.T, version, records string, steps, fails uint, written bool) {
		if len(records) > 2048 || len(version) > 64 || strings.Count(records, "\n") > 32 {
			return
		}
		engine, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		defer func() { require.NoError(t, engine.Close()) }()
		enginetest.Commit(t, engine, Space, func(b *persistence.Batch) {
			if version != "" {
				b.Set(Entry, []byte(version))
			}
		})
		var table []Step
		for format := range steps % 4 {
			table = append(table, made(int(format)+1))
		}
		enginetest.Commit(t, engine, team, func(b *persistence.Batch) {
			for i, record := range strings.Split(records, "\n") {
				b.Put(fmt.Append(nil, i), []byte(record))
			}
		})
		before := enginetest.Content(t, engine)

		broken := faultstore.New(engine)
		fault := faultstore.Before
		if written {
			fault = faultstore.After
		}
		broken.FailNth(int(fails%8), fault)
		failure := Check(t.Context(), broken, "1.2.3", table)
		refused := Check(t.Context(), engine, "1.2.3", table)
		if refused != nil {
			require.Error(t, failure)
			require.Equal(t, before, enginetest.Content(t, engine))
			return
		}
		want := migrated(before, version, len(table))
		require.Equal(t, want, enginetest.Content(t, engine))
		require.NoError(t, Check(t.Context(), engine, "1.2.3", table))
		require.Equal(t, want, enginetest.Content(t, engine))
		for format := formatIn(version, len(table)); format <= len(table); format++ { // a slow node repeats them
			require.NoError(t, table[format-1](t.Context(), engine))
		}
		require.Equal(t, want, enginetest.Content(t, engine))
	})
}

// formatIn returns the version of a store; without one it is the present one.
func formatIn(version string, steps int) int {
	if version == "" {
		return steps + 1
	}
	from, err := strconv.Atoi(version)
	if err != nil {
		panic(err) // it was not refused
	}
	return from
}

// migrated is what the made-up migrations make of a store's content.
func migrated(before map[string]string, version string, steps int) map[string]string {
	after := map[string]string{}
	from := formatIn(version, steps)
	for key, value := range before {
		for format := from; format <= steps; format++ {
			if rest, old := strings.CutPrefix(value, fmt.Sprintf("%d:", format)); old && strings.HasPrefix(key, string(team)) {
				value = fmt.Sprintf("%d:%s", format+1, rest)
			}
		}
		after[key] = value
	}
	after["format:version"] = fmt.Sprint(steps + 1)
	return after
}
