package clients

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var agents = flag.String("agents.folder", "", "folder where the agents are installed; see make agents")

// settings are the files with which people point an agent at a server, with the URL in place of $URL.
const (
	codexSettings = `model = "replay"
model_provider = "dragoman"
[model_providers.dragoman]
name = "dragoman"
base_url = "$URL/v1"
env_key = "KEY"
wire_api = "responses"
`
	claudeSettings = `{"env":{"ANTHROPIC_BASE_URL":"$URL","ANTHROPIC_AUTH_TOKEN":"key","ANTHROPIC_MODEL":"replay","CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC":"1"}}`
	piSettings     = `{"providers":{"dragoman":{"baseUrl":"$URL/v1","api":"%s","apiKey":"key","models":[{"id":"replay","reasoning":true}]}}}`
)

// TestAgents lets agents run a command that the model asks for, and expects what it printed in the answer.
func TestAgents(t *testing.T) {
	if *agents == "" {
		t.Skip("run make agents, which installs the agents")
	}
	url, _ := daemon(t)
	claude := []string{"@anthropic-ai/claude-code/cli-wrapper.cjs", "--allowedTools", "Bash", "-p"}
	codex := []string{".bin/codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"}
	pi := []string{".bin/pi", "--offline", "--no-session", "--provider", "dragoman", "--model", "replay", "-p"}
	for _, agent := range []struct {
		name, file, settings, home string
		command                    []string
	}{
		{"claude code", "settings.json", claudeSettings, "CLAUDE_CONFIG_DIR", claude},
		{"codex", "config.toml", codexSettings, "CODEX_HOME", codex},
		{"pi with chat completions", "models.json", fmt.Sprintf(piSettings, "openai-completions"), "PI_CODING_AGENT_DIR", pi},
		{"pi with responses", "models.json", fmt.Sprintf(piSettings, "openai-responses"), "PI_CODING_AGENT_DIR", pi},
	} {
		t.Run(agent.name, func(t *testing.T) {
			home, work := t.TempDir(), t.TempDir()
			write(t, filepath.Join(home, agent.file), strings.ReplaceAll(agent.settings, "$URL", url))
			write(t, filepath.Join(work, "found.txt"), "")
			program := filepath.Join(*agents, "node_modules", agent.command[0])
			cmd := exec.CommandContext(t.Context(), "node", slices.Concat([]string{program}, agent.command[1:], []string{"Which files are here?"})...) //nolint:gosec // a test
			cmd.Dir, cmd.Env = work, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "KEY=key", agent.home + "=" + home}                         // nothing of the tester's own
			out, err := cmd.Output()
			if err != nil || !strings.Contains(string(out), "The answer is: ") || !strings.Contains(string(out), "found.txt") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
