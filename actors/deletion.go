package actors

import (
	"bytes"
	"context"
	"errors"
	"time"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// A team is deleted in two parts. The first is one decision: the team's record is
// marked, its key and its line in the operator's list go, and its sessions are
// closed. From then on the team does not exist for any caller. The second part
// removes the records of the space, each with the entry of the directory that it owns,
// in steps that each activation can repeat; the mark goes with the last.

// deleteTeam asks for the next part of a deletion; answered by deletionStep.
type deleteTeam struct{}

// deletionStep says how far a deletion is.
type deletionStep struct{ finished bool }

// deletionTimeout bounds the reads of a step.
const deletionTimeout = 10 * time.Minute

// deletionAttempts bounds how often a deletion is begun again when an entry of the
// directory has changed hands meanwhile.
const deletionAttempts = 5

// DeleteTeam removes a team and everything of it (NotFound). It returns when
// nothing is left. A deletion that was begun goes on when ctx ends, after a failure
// with the next call, and after a restart with ResumeDeletions.
func (r *upkeep) DeleteTeam(ctx context.Context, team watchpost.TeamID) error {
	var err error
	for range deletionAttempts {
		if err = r.deleteTeam(ctx, team); watchpost.KindOf(err) != watchpost.Unavailable || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// deleteTeam is DeleteTeam with one attempt.
func (r *upkeep) deleteTeam(ctx context.Context, team watchpost.TeamID) error {
	step, err := askTeam(ctx, r.base, team, deleteTeam{})
	for err == nil && !step.finished {
		step, err = askTeam(ctx, r.base, team, deleteTeam{})
	}
	return err
}

// ResumeDeletions goes on with the deletions that an earlier run of the service has
// left, of the teams that this node serves.
func (r *upkeep) ResumeDeletions(ctx context.Context) error {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return err
	}
	left, err := teamspace.Names[watchpost.TeamID](view, teamspace.DirDeleting)
	view.Close()
	for _, team := range left {
		err = errors.Join(err, passOver(r.DeleteTeam(ctx, team)))
	}
	return err
}

// onDeleteTeam decides the deletion. This activation ends with it: the next one
// loads nothing but the mark.
func (t *team) onDeleteTeam() {
	st := &root.Steps{}
	batch := st.Room(5)
	t.record.Deleting = true
	batch.Put([]byte(teamspace.KeyTeam), teamspace.Encode(t.record))
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirDeleting, Name: string(t.id)}, []byte{})
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirTeam, Name: string(t.id)}, nil)
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirOutbox, Name: string(t.id)}, nil)
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirKey, Name: t.record.KeyHash}, nil)
	var ends []func()
	for _, m := range t.members.all() {
		for _, s := range t.sessions.of(m.ID) {
			ends = append(ends, t.sessions.close(st.Room(2), s))
		}
	}
	for _, k := range t.keys.all() {
		st.Room(1).Set(persistence.DirectoryKey{Kind: teamspace.DirScopedKey, Name: k.record.Hash}, nil)
	}
	keys, id, answer := t.env.keys, t.id, t.env.ReplyTo(t.Context.Sender(), deletionStep{})
	system, self := t.env.System.Root, t.Context.Self()
	t.SubmitSteps(st, func(err error) {
		keys.Drop(id)
		if err == nil {
			for _, end := range ends {
				end()
			}
		}
		if answer != nil {
			answer(err)
		}
		system.Poison(self) // behind the ends of the connections, which get their reason
	})
	t.env.Log.Info("team is being deleted", "team", t.id)
	t.Outcome.Why = root.Overtaken // this end is no failure
	t.Broken = watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
	t.Commits.End(t.Broken)
}

// deletion is the component of a team that is being deleted: it removes the team's
// space with its entries of the directory, then the mark.
type deletion struct {
	team *team

	running bool
	after   []byte // the last key of the space that was deleted
	waiting []func(error)
}

// deletionDue asks for the next step.
type deletionDue struct{}

// receive is the table of what a team understands while it is being deleted.
func (d *deletion) receive(message any) {
	t := d.team
	switch message.(type) {
	case deleteTeam:
		if answer := t.env.ReplyTo(t.Context.Sender(), deletionStep{finished: true}); answer != nil {
			d.waiting = append(d.waiting, answer)
		}
		if !d.running {
			d.running = true
			d.begin()
		}
	case deletionDue:
		d.step()
	case root.CanPassivate:
		t.Context.Respond(!d.running)
	case root.ClockAdvances:
		t.Answer(root.Done{}, nil)
	default:
		if t.Context.Sender() != nil {
			t.Answer(nil, watchpost.Errorf(watchpost.NotFound, "Team not found"))
		}
	}
}

// view opens a view for a step.
func (d *deletion) view() (view persistence.View, cancel func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), deletionTimeout)
	view, err = d.team.env.Store.View(ctx)
	return view, cancel, err
}

// begin notes the claims that an earlier build has ended, unless that is done for all
// teams; the steps then find them as the others.
func (d *deletion) begin() {
	view, cancel, err := d.view()
	defer cancel()
	if err != nil {
		d.team.Fail(err)
		return
	}
	defer view.Close()
	var urns []watchpost.AccountURN
	noted, err := claimsNoted(view)
	if err == nil && !noted {
		err = endedClaims(view, func(team watchpost.TeamID, urn watchpost.AccountURN) {
			if team == d.team.id {
				urns = append(urns, urn)
			}
		})
	}
	if err != nil {
		d.team.Fail(err)
		return
	}
	d.team.noteClaims(urns)
	d.submit(nil)
}

// step removes as much as fits one batch, and asks for the next step when that is
// durable.
func (d *deletion) step() {
	batch := &persistence.Batch{}
	if err := d.removeNext(batch); err != nil {
		d.team.Fail(err)
		return
	}
	if batch.Empty() {
		d.finish()
		return
	}
	d.submit(batch)
}

func (d *deletion) submit(batch *persistence.Batch) {
	system, self := d.team.env.System.Root, d.team.Context.Self()
	d.team.Commits.Submit(batch, func(err error) {
		if err == nil { // otherwise the team ends, and with it all who wait
			system.Send(self, deletionDue{})
		}
	})
}

// removeNext adds deletes of the space's next records and their entries of the
// directory, but for the mark.
func (d *deletion) removeNext(batch *persistence.Batch) error {
	view, cancel, err := d.view()
	defer cancel()
	if err != nil {
		return err
	}
	defer view.Close()
	var failure error
	err = view.Scan(d.team.Space, append(bytes.Clone(d.after), 0), nil, func(key, value []byte) bool {
		if string(key) == teamspace.KeyTeam {
			return true
		}
		d.after = bytes.Clone(key)
		batch.Delete(d.after)
		failure = d.release(view, batch, key, value)
		size, ops := batch.Size()
		return failure == nil && ops < root.StepOps && size < root.StepBytes
	})
	return errors.Join(err, failure)
}

// release adds what becomes of the entry that a record owns. One that is of another
// team by now, as a claim that was taken over, stays.
func (d *deletion) release(view persistence.View, batch *persistence.Batch, key, value []byte) error {
	entry, ok, err := teamspace.Owned(key, value)
	if err != nil || !ok {
		return err
	}
	stored, err := view.Lookup(entry)
	if errors.Is(err, persistence.ErrNotFound) {
		return nil
	}
	var owner teamspace.OwnerEntry
	if err = errors.Join(err, teamspace.Decode(stored, &owner)); err != nil || owner.Team != d.team.id {
		return err
	}
	var left []byte
	if entry.Kind == teamspace.DirAccount {
		left, err = endedClaim(stored)
	}
	batch.CompareAndSet(entry, stored, left)
	return err
}

// endedClaim is what stays of a claim: that the account was in use, and when. A
// next claimant gets no allowance that it may have used already.
func endedClaim(stored []byte) ([]byte, error) {
	var claim teamspace.ClaimEntry
	if err := teamspace.Decode(stored, &claim); err != nil {
		return nil, err
	}
	return teamspace.Encode(teamspace.ClaimEntry{HelloAt: claim.HelloAt, Ended: true}), nil
}

// finish removes the mark.
func (d *deletion) finish() {
	t, batch := d.team, &persistence.Batch{}
	batch.Delete([]byte(teamspace.KeyTeam))
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirDeleting, Name: string(t.id)}, nil)
	waiting, log, id := d.waiting, t.env.Log, t.id
	t.Commits.Submit(batch, func(err error) {
		if err == nil {
			log.Info("team is deleted", "team", id)
		}
		for _, answer := range waiting {
			answer(err)
		}
	})
	t.record, t.deletion = teamspace.TeamRecord{}, &deletion{team: t}
}
