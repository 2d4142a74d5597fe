package match

// Work returns what the machine has done so far: steps, and bytes read again.
func (m *Machine) Work() int { return m.cost.steps + m.cost.reread }
