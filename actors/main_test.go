package actors_test

import (
	"testing"

	"watchpost/actors/actorstest"
)

func TestMain(m *testing.M) { actorstest.Main(m) }
