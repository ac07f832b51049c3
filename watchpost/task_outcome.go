package watchpost

// Outcome is the consequence of an error that a session reported.
type Outcome struct {
	Event   TaskEvent // EventReturn or EventFail
	Failure TaskFailure
	// Refund returns the debits of the attempt.
	Refund bool
	// Lost counts the attempt as one without an answer.
	Lost bool
	// PauseAccount stops leases to the account until it is signed in again.
	PauseAccount bool
	// PauseType stops leases of the task type to the account until a probe
	// succeeds.
	PauseType bool
	// SiteFault blames the network's site: a session got an unexpected page or answer.
	// Answered means that the site did answer, although the task fails.
	SiteFault, Answered bool
	// CloseAction stops leases of the action to the account until its reset.
	CloseAction bool
	// SlowDown stops leases of the task type to the account for minutes, for longer
	// each time that it happens again.
	SlowDown bool
}

// ClassifyError applies the table of error codes of the session protocol. acted
// reports whether the network was touched; nil means not known.
func ClassifyError(t TaskType, code, message string, acted *bool) Outcome {
	touched := acted == nil || *acted
	v := Outcome{Event: EventReturn, Refund: acted != nil && !*acted, Failure: TaskFailure{Code: code, Message: message}}
	v.SiteFault = siteFault(code) && (!t.Writes() || acted != nil)
	switch {
	case code == "outcome_unknown", t.Writes() && acted == nil:
		v.Event, v.Failure.Code = EventFail, FailOutcomeUnknown
		return v
	case answered(code):
		v.Event, v.Answered = EventFail, true
		return v
	case t.Writes() && touched:
		// The session acted and reports a failure: a retry could act twice.
		v.Event = EventFail
		return v
	}
	switch code {
	case "signed_out", "challenge":
		v.PauseAccount, v.Lost = true, t.Writes()
	case "page_not_understood":
		v.PauseType = true
	case "network_limit":
		v.CloseAction = true
	case "timeout":
		v.Lost = true
	default:
		v.Event, v.Failure.RetrySafe = EventFail, true
	}
	return v
}

// AskedToSlowDown returns the consequence when the network named no limit that is used
// up: what would close the action pauses the task type.
func (v Outcome) AskedToSlowDown() Outcome {
	v.CloseAction, v.SlowDown = false, v.SlowDown || v.CloseAction
	return v
}

// failNotInvited is the code of a withdrawal when the page shows no invitation.
const failNotInvited = "not_invited"

// answered reports whether an error is the network's answer: the task cannot be done.
func answered(code string) bool {
	switch code {
	case "not_found", "not_connected", failNotInvited, "company_not_managed", "invalid_input":
		return true
	}
	return false
}

// siteFault reports whether an error is the fault of the network's site.
func siteFault(code string) bool {
	switch code {
	case "signed_out", "challenge", "network_limit", "outcome_unknown":
		return false
	}
	return !answered(code)
}
