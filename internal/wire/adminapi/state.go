package adminapi

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// EncodeStatus converts the state of a host. The version and the sessions of the daemon are for the caller to add.
func EncodeStatus(s host.Status) *dragomanv1.GetStatusResponse {
	m := &dragomanv1.GetStatusResponse{
		StartedAt:  timestamppb.New(s.StartedAt),
		Generation: s.Generation,
		RulesHash:  s.RulesHash,
		Templates:  EncodeTemplates(s.Templates),
		Conflicts:  s.Conflicts,
		Warnings:   s.Warnings,
		Rollback:   EncodeRollback(s.Rollback),
		Trial:      encodeTrial(s.Trial),
	}
	for _, src := range s.Sources {
		m.Sources = append(m.Sources, encodeSource(src))
	}
	for _, p := range s.Plugins {
		m.Plugins = append(m.Plugins, EncodePlugin(p))
	}
	return m
}

func encodeSource(s host.SourceStatus) *dragomanv1.Source {
	m := &dragomanv1.Source{
		Name: s.Name, Path: s.Path, Sha256: s.SHA256,
		LastSuccess: encodeTime(s.LastSuccess), LastFailure: encodeTime(s.LastFailure), LastError: s.LastError,
		Held: s.Held, OnDisk: s.OnDisk,
	}
	for _, f := range s.Faults {
		m.Faults = append(m.Faults, &dragomanv1.FileFault{Path: f.Path, Error: f.Error})
	}
	return m
}

// EncodePlugin converts the state of a plugin.
func EncodePlugin(s plugins.State) *dragomanv1.Plugin {
	m := &dragomanv1.Plugin{
		Name: s.Name, Version: s.Version, Protocol: uint32(s.Protocol), Manifest: s.Manifest, Sha256: s.SHA256,
		Fallback: string(s.Fallback), State: string(s.Condition), Pid: uint32(s.PID), Generation: uint32(s.Generation),
		Starts: uint32(s.Starts), Restarts: uint32(s.Restarts), Sessions: uint32(s.Sessions), LastError: s.LastError, Fault: s.Fault,
	}
	for _, h := range s.Handlers {
		m.Handlers = append(m.Handlers, &dragomanv1.PluginHandler{
			Name: h.Name, Match: h.Match, Priority: int32(h.Priority), Capabilities: h.Capabilities,
		})
	}
	for _, d := range s.Draining {
		m.Draining = append(m.Draining, &dragomanv1.DrainingProcess{
			Version: d.Version, Generation: uint32(d.Generation), Pid: uint32(d.PID), Sessions: uint32(d.Sessions),
		})
	}
	return m
}

// DecodePlugin converts the state of a plugin.
func DecodePlugin(m *dragomanv1.Plugin) plugins.State {
	s := plugins.State{
		Name: m.GetName(), Version: m.GetVersion(), Protocol: int(m.GetProtocol()), Manifest: m.GetManifest(), SHA256: m.GetSha256(),
		Fallback: manifest.Fallback(m.GetFallback()), Condition: plugins.Condition(m.GetState()), PID: int(m.GetPid()),
		Generation: int(m.GetGeneration()), Starts: int(m.GetStarts()), Restarts: int(m.GetRestarts()),
		Sessions: int(m.GetSessions()), LastError: m.GetLastError(), Fault: m.GetFault(),
	}
	for _, h := range m.GetHandlers() {
		s.Handlers = append(s.Handlers, plugins.HandlerState{
			Name: h.GetName(), Match: h.GetMatch(), Priority: int(h.GetPriority()), Capabilities: h.GetCapabilities(),
		})
	}
	for _, d := range m.GetDraining() {
		s.Draining = append(s.Draining, plugins.Draining{
			Version: d.GetVersion(), Generation: int(d.GetGeneration()), PID: int(d.GetPid()), Sessions: int(d.GetSessions()),
		})
	}
	return s
}

// EncodeTemplate converts what is known of a template.
func EncodeTemplate(i host.TemplateInfo) *dragomanv1.Template {
	t := &dragomanv1.Template{Name: i.Name, Origin: i.Origin, Sha256: i.SHA256, Handler: i.Handler, Error: i.Error, SelfCheck: i.SelfCheck}
	for _, p := range i.Parts {
		t.Parts = append(t.Parts, &dragomanv1.TemplatePart{Part: string(p.Part), Proven: p.Proven, Served: p.Served,
			Passed: uint32(p.Passed), Failed: uint32(p.Failed), Because: p.Because, VouchedBy: p.VouchedBy})
	}
	return t
}

// EncodeTemplates converts what is known of templates.
func EncodeTemplates(infos []host.TemplateInfo) (all []*dragomanv1.Template) {
	for _, i := range infos {
		all = append(all, EncodeTemplate(i))
	}
	return all
}
