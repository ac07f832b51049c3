package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
)

// Teams whose admins ask for another key are named below the list, with the command that
// makes it.
func Example_teamsThatAskForAnotherKey() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"teams":[
			{"id":"one","name":"Acme","plan":"free","plan_expires_at":null,"created_at":"2030-01-02T08:00:00.000Z","key_rotation_asked_at":null},
			{"id":"two","name":"Grid","plan":"free","plan_expires_at":null,"created_at":"2030-01-03T08:00:00.000Z","key_rotation_asked_at":"2030-01-07T08:00:00.000Z"}
		],"count":2}`)
	}))
	defer server.Close()
	team := &teamCommand{Admin: adminFlags{Server: server.URL, AdminToken: "secret"}}
	if err := (&teamList{}).Run(context.Background(), team); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ID   PLAN  CREATED     NAME
	// one  free  2030-01-02  Acme
	// two  free  2030-01-03  Grid
	// an admin asks for another API key since 2030-01-07T08:00:00Z: watchpost team rotate-key two
}
