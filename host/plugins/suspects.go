package plugins

// maxDeaths is how many deaths in a row are looked at for what they have in common.
const maxDeaths = 3 * maxSuspects

// suspects are the requests that were under way when processes died, since the last answer. A process dies with all that is
// under way in it, and those who are innocent come back with the one to blame: to blame is who was there every time.
//
//	death  1        2          3
//	       P A B    P A C D    P B    all of them explained by one request, P: the plugin is left to the others
type suspects struct{ deaths []*death }

// death is the end of one process.
type death struct {
	generation int
	requests   map[uint64]bool // those under way, by their fingerprints, as far as they have said so
}

// of is the death of a generation, noted now unless it was.
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

// few says whether less than maxSuspects requests explain the deaths before that of a generation. Not all that were under way at
// the last may have said so yet; who came back to die again has.
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

// commonest is the request that was there most often.
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

// without are the deaths at which a request was not there.
func without(deaths []*death, request uint64) (left []*death) {
	for _, d := range deaths {
		if !d.requests[request] {
			left = append(left, d)
		}
	}
	return left
}
