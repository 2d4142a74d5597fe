package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/dragoman-project/dragoman/cmd/host/hub"
	"github.com/dragoman-project/dragoman/sdk/model"
)

// download puts what the cache lacks of models into it. Paths that exist, and what cannot be the name of a model, are left alone. If the
// hub does not answer, what is in the cache has to do.
func download(ctx context.Context, note func(string), models ...string) error {
	for _, name := range models {
		repo, ok := model.ParseRepo(name)
		if _, err := os.Stat(name); err == nil || !ok {
			continue
		}
		if err := downloadModel(ctx, note, repo); err != nil {
			return fmt.Errorf("cannot download %s: %w", name, err)
		}
	}
	return nil
}

func downloadModel(ctx context.Context, note func(string), repo model.Repo) error {
	from, err := hub.FromEnvironment(note)
	if err == nil {
		err = from.Fetch(ctx, repo)
	}
	if err == nil || ctx.Err() != nil || !errors.Is(err, hub.ErrOffline) && !hub.Unreachable(err) {
		return err
	}
	if _, missing := repo.Find(); missing != nil {
		return err
	}
	note(fmt.Sprintf("%s is not updated, and the cached files are used: %v", repo, err))
	return nil
}
