package watchpost

import "time"

// TargetPatch changes the fields of a notification target that are not nil. Token is
// a new one of its bot, which the target keeps sealed.
type TargetPatch struct {
	Name, URL, Chat *string
	Emails          *[]string
	If              ConditionsPatch
	Batch           *time.Duration
	Quiet           *DailyHours
	PerHour         *int
	Disabled        *bool
	Token           *string
}

// Apply returns the changed target, not yet cleaned.
func (p *TargetPatch) Apply(t NotificationTarget) NotificationTarget {
	set(&t.Name, p.Name)
	set(&t.URL, p.URL)
	set(&t.Chat, p.Chat)
	set(&t.Emails, p.Emails)
	t.If = p.If.Apply(t.If)
	set(&t.Batch, p.Batch)
	set(&t.Quiet, p.Quiet)
	set(&t.PerHour, p.PerHour)
	set(&t.Disabled, p.Disabled)
	return t
}
