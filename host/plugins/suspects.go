package plugins

// maxDeaths is how many deaths in a row are compared.
const maxDeaths = 3 * maxSuspects

// suspects holds the requests that were under way when processes died, since the last answer. The death of a process hits
// everything under way in it, and innocent requests are retried together with the guilty one: guilty is the one that was
// there each time.
//
//	death  1        2          3
//	       P A B    P A C D    P B    one request, P, explains all of them: the plugin stays up for the others
type suspects struct{ deaths []*death }

// death is the end of one process.
type death struct {
	generation int
	requests   map[uint64]bool // the fingerprints of those under way, as far as they were recorded
}

// of returns the death of a generation, and records it if it is new.
func (s *suspects) of(generation int) *death {
	for _, d := range s.deaths {
		if d.generation == generation {
			return d
		}
	}
	d := &death{generation: generation, requests: map[uint64]bool{}}
	if s.deaths = append(s.deaths, d); len(s.deaths) > maxDeaths {
		s.deaths = s.deaths[1:]
	}
	return d
}

// few reports whether fewer than maxSuspects requests explain the deaths before that of a generation. Of the last death not all
// requests may be recorded yet; those that were retried, and died again, are.
func (s *suspects) few(generation int) bool {
	var left []*death
	for _, d := range s.deaths {
		if d.generation < generation && len(d.requests) > 0 {
			left = append(left, d)
		}
	}
	for range maxSuspects - 1 {
		left = without(left, commonest(left))
	}
	return len(left) == 0
}

// commonest returns the request that was there most often.
func commonest(deaths []*death) (worst uint64) {
	count := map[uint64]int{}
	for _, d := range deaths {
		for request := range d.requests {
			if count[request]++; count[request] > count[worst] {
				worst = request
			}
		}
	}
	return worst
}

// without returns the deaths at which a request was not there.
func without(deaths []*death, request uint64) (left []*death) {
	for _, d := range deaths {
		if !d.requests[request] {
			left = append(left, d)
		}
	}
	return left
}
