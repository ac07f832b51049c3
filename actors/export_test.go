package actors

// Processes counts the actors in memory, of all kinds.
func (r *Registry) Processes() (count int) {
	for _, bucket := range r.env.system.ProcessRegistry.LocalPIDs.LocalPIDs {
		count += bucket.Count()
	}
	return count
}
