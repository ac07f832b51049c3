package main

import (
	"context"
	"time"

	"watchpost/actors"
)

const (
	// resumeEvery is how often a node looks for work that no request would begin: of
	// teams that have failed.
	resumeEvery = time.Minute
	// expireAt is the time of the day, in UTC, when posts and tasks are deleted whose
	// time has passed: allowances begin at midnight, and work with them.
	expireAt = time.Hour
	// lookEvery is how often metrics are read that no request brings up to date. It is
	// short next to the hours and days after which alerts on them fire.
	lookEvery = time.Hour
	// rotateEvery is how often a rotation of the master key goes on.
	rotateEvery = time.Hour
)

// resume goes on with what the last owner of a team has left to do: an earlier run of
// the service or, in a cluster, another node. It returns when the service stops.
func (s *service) resume() {
	again := time.NewTicker(resumeEvery)
	defer again.Stop()
	noted := false // what earlier builds did not note
	for {
		var taken <-chan struct{} // closed when this node may have taken teams over
		if s.node != nil {
			_, taken = s.node.Place(actors.SignInPlace)
		}
		if err := s.registry.ResumeDeletions(s.background); err != nil && s.background.Err() == nil {
			s.log.Error("the deletion of a team is not finished: it is tried again", "error", err)
		}
		if err := s.registry.ResumeNotifications(s.background); err != nil && s.background.Err() == nil {
			s.log.Error("notifications of a team wait: they are tried again", "error", err)
		}
		if !noted {
			var err error
			if noted, err = s.registry.NoteEndedClaims(s.background); err != nil && s.background.Err() == nil {
				s.log.Error("claims that have ended are not noted: it is tried again", "error", err)
			}
		}
		select {
		case <-taken:
		case <-again.C:
		case <-s.background.Done():
			return
		}
	}
}

// expire deletes the posts, tasks and changes whose time has passed, now and once a day.
func (s *service) expire() {
	for what, pass := range map[string]func(context.Context) (int, error){"posts": s.registry.ExpirePosts, "tasks": s.registry.ExpireTasks, "changes": s.registry.ExpireChanges} {
		deleted, err := pass(s.background)
		if s.background.Err() != nil {
			return
		}
		if err != nil {
			s.log.Error("not all "+what+" whose time has passed are deleted: the next pass goes on", "error", err)
		}
		if deleted > 0 {
			s.log.Info(what+" deleted whose time has passed", what, deleted)
		}
	}
	s.clock.At(s.clock.Now().Truncate(24*time.Hour).Add(24*time.Hour+expireAt), s.expire)
}

// look updates the metrics about state outside the memory of this node: the place of the
// backups, to which other nodes write too, and the due scans of teams that are not in
// memory. It returns when the service stops.
func (s *service) look() {
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	for {
		if s.backups != nil {
			if err := s.backups.look(s.background); err != nil && s.background.Err() == nil {
				s.log.Error("the place of --backup-to cannot be read", "error", err)
			}
		}
		if err := s.registry.LookForDueScans(s.background); err != nil && s.background.Err() == nil {
			s.log.Warn("due scans of teams that are not in memory are not known: the metric shows those of before", "error", err)
		}
		select {
		case <-again.C:
		case <-s.background.Done():
			return
		}
	}
}

// rotateMasterKey goes on with a rotation of the master key, now and every hour.
func (s *service) rotateMasterKey() {
	if s.config.SecondMasterKeyFile == "" {
		return
	}
	left, err := s.registry.RotateMasterKey(s.background)
	if s.background.Err() != nil {
		return
	}
	if err != nil || left > 0 {
		s.log.Warn("secrets are not yet sealed with the new master key: the next pass goes on", "teams", left, "error", err)
	}
	s.clock.At(s.clock.Now().Add(rotateEvery), s.rotateMasterKey)
}
