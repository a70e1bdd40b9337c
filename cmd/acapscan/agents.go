package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
)

// commonAgents is the preset @common: crawlers of search engines, archives and language models.
var commonAgents = []policy.Agent{
	"AhrefsBot", "Amazonbot", "anthropic-ai", "Applebot", "archive.org_bot", "Baiduspider", "Bingbot", "Bytespider",
	"CCBot", "ClaudeBot", "cohere-ai", "DuckDuckBot", "FacebookBot", "Google-Extended", "Googlebot", "Googlebot-Image",
	"Googlebot-News", "GPTBot", "ia_archiver", "msnbot", "PerplexityBot", "SemrushBot", "Slurp", "Yandex",
}

// readAgents reads the values of --agents: names, @common, and @FILE with a name a line.
func readAgents(values []string) ([]policy.Agent, error) {
	var agents []policy.Agent
	for _, value := range values {
		value = strings.TrimSpace(value)
		file, isFile := strings.CutPrefix(value, "@")
		switch {
		case value == "@common":
			agents = append(agents, commonAgents...)
		case isFile:
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			for _, line := range strings.Split(string(text), "\n") {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
					agent, _ := policy.ParseAgent(line)
					agents = append(agents, agent)
				}
			}
		case value != "":
			agent, clean := policy.ParseAgent(value)
			if !clean {
				return nil, usageError{fmt.Errorf("--agents: %q is no crawler's name", value)}
			}
			agents = append(agents, agent)
		}
	}
	return agents, nil
}
