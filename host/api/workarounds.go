package api

import (
	"context"
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/internal/wire/adminapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// workaroundService implements dragoman.v1.WorkaroundService.
type workaroundService struct{ host *host.Host }

var _ dragomanv1connect.WorkaroundServiceHandler = (*workaroundService)(nil)

// ListWorkarounds lists the rules in force, and the templates that each applies to.
func (s *workaroundService) ListWorkarounds(ctx context.Context, _ *dragomanv1.ListWorkaroundsRequest) (*dragomanv1.ListWorkaroundsResponse, error) {
	rules, hash := s.host.Workarounds(ctx)
	out := &dragomanv1.ListWorkaroundsResponse{RulesHash: hash}
	for _, r := range rules {
		w := &dragomanv1.Workaround{Name: r.Name, Because: r.Because, SeenIn: r.SeenIn, When: r.When}
		for _, m := range r.Matches {
			match := &dragomanv1.WorkaroundMatch{Template: m.Template, Error: m.Applied.Error}
			for _, c := range m.Applied.Changes {
				match.Changes = append(match.Changes, fmt.Sprintf("%s: %s → %s", c.Field, c.From, c.To))
			}
			for _, n := range m.Applied.Requests {
				match.Asks = append(match.Asks, string(n))
			}
			for _, part := range m.Applied.Vouches {
				match.Vouches = append(match.Vouches, string(part))
			}
			w.Matches = append(w.Matches, match)
		}
		out.Workarounds = append(out.Workarounds, w)
	}
	return out, nil
}

// TryWorkarounds returns what other rules would change.
func (s *workaroundService) TryWorkarounds(ctx context.Context, m *dragomanv1.TryWorkaroundsRequest) (*dragomanv1.TryWorkaroundsResponse, error) {
	files := []check.Input{{Name: "cases", Reader: strings.NewReader(m.Cases)}}
	diff, err := s.host.TryRules(ctx, host.RulesFile{Name: "document", Data: []byte(m.Document)}, files)
	if err != nil {
		return nil, err
	}
	return adminapi.EncodeRulesDiff(diff), nil
}
