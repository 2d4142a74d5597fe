package host

import (
	"context"

	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/host/trial"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// What is in force; see package state.
type (
	// Snapshot is one immutable set of configuration, rules and templates.
	Snapshot = state.Snapshot
	// SnapshotInfo describes a snapshot of the history.
	SnapshotInfo = state.SnapshotInfo
	// Rollback is the state of a snapshot with contents of an earlier one.
	Rollback = state.Rollback
	// SourceStatus is the state of something that is read from disk.
	SourceStatus = state.SourceStatus
	// TemplateSource is a chat template and where it came from.
	TemplateSource = state.TemplateSource
	// Own holds the templates that one client has put.
	Own = state.Own
	// File is content on disk that others use.
	File = state.File
)

// WithOwn returns a context for the requests of a client, with its own templates.
func WithOwn(ctx context.Context, own *Own) context.Context { return state.WithOwn(ctx, own) }

// OwnOf returns the templates of the client that a context belongs to; nil if it is an operator's.
func OwnOf(ctx context.Context) *Own { return state.OwnOf(ctx) }

// What a change would do; see package trial.
type (
	// RulesFile is a file of workarounds.
	RulesFile = trial.RulesFile
	// RulesDiff is what a file of workarounds would change.
	RulesDiff = trial.RulesDiff
	// RulesFault is a mistake in a file of workarounds.
	RulesFault = trial.RulesFault
	// TemplateDiff is what changes in a template.
	TemplateDiff = trial.TemplateDiff
	// FieldDiff is a field of a dialect that changes.
	FieldDiff = trial.FieldDiff
	// CaseDiff is a case with another outcome.
	CaseDiff = trial.CaseDiff
	// Trial is the outcome of trying a change before it goes live.
	Trial = trial.Trial
)

// Error is the error of this package.
type Error = fault.Error

// Code is the code of an Error.
type Code = fault.Code

// The codes of this package's errors.
const (
	InvalidArgument = fault.InvalidArgument
	NotFound        = fault.NotFound
	LimitExceeded   = fault.LimitExceeded
	Unavailable     = fault.Unavailable
	OutputRefused   = fault.OutputRefused
	Internal        = fault.Internal
)

// CodeOf returns the code of err.
func CodeOf(err error) Code { return fault.CodeOf(err) }
