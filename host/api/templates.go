package api

import (
	"context"
	"encoding/json"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/internal/wire/adminapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// templateService implements dragoman.v1.TemplateService.
type templateService struct{ host *host.Host }

var _ dragomanv1connect.TemplateServiceHandler = (*templateService)(nil)

// PutTemplate adds or replaces a template.
func (s *templateService) PutTemplate(ctx context.Context, m *dragomanv1.PutTemplateRequest) (*dragomanv1.PutTemplateResponse, error) {
	recordOf(ctx).noteTemplate(m.Name)
	if m.Source == "" {
		return nil, invalid("source", "missing template source", "send its Jinja text")
	}
	info, err := s.host.PutTemplate(ctx, host.TemplateSource{Name: m.Name, Source: m.Source, BOSToken: m.BosToken, EOSToken: m.EosToken})
	if err != nil {
		return nil, err
	}
	return &dragomanv1.PutTemplateResponse{Template: adminapi.EncodeTemplate(info)}, nil
}

// DeleteTemplate removes a template that was put.
func (s *templateService) DeleteTemplate(ctx context.Context, m *dragomanv1.DeleteTemplateRequest) (*dragomanv1.DeleteTemplateResponse, error) {
	recordOf(ctx).noteTemplate(m.Name)
	if err := s.host.DeleteTemplate(ctx, m.Name); err != nil {
		return nil, err
	}
	return new(dragomanv1.DeleteTemplateResponse), nil
}

// ListTemplates lists all templates.
func (s *templateService) ListTemplates(ctx context.Context, _ *dragomanv1.ListTemplatesRequest) (*dragomanv1.ListTemplatesResponse, error) {
	return &dragomanv1.ListTemplatesResponse{Templates: adminapi.EncodeTemplates(s.host.Templates(ctx))}, nil
}

// GetTemplate returns a template with its source.
func (s *templateService) GetTemplate(ctx context.Context, m *dragomanv1.GetTemplateRequest) (*dragomanv1.GetTemplateResponse, error) {
	recordOf(ctx).noteTemplate(m.Name)
	src, info, err := s.host.Template(ctx, m.Name)
	if err != nil {
		return nil, err
	}
	return &dragomanv1.GetTemplateResponse{Template: adminapi.EncodeTemplate(info), Source: src.Source, BosToken: src.BOSToken, EosToken: src.EOSToken}, nil
}

// ExplainTemplate returns what was learned from a template.
func (s *templateService) ExplainTemplate(ctx context.Context, m *dragomanv1.ExplainTemplateRequest) (*dragomanv1.ExplainTemplateResponse, error) {
	recordOf(ctx).noteTemplate(m.Name)
	explanation, err := s.host.Explain(ctx, m.Name)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(explanation)
	if err != nil {
		return nil, err
	}
	return &dragomanv1.ExplainTemplateResponse{Text: explanation.String(), Explanation: &dragomanv1.Json{Text: string(data)}}, nil
}
