package client

import (
	"context"

	"watchpost/http/mcp"
)

// Version is that of the program.
type Version string

// MCP serves the tools for language models.
type MCP struct {
	Service Flags `embed:""`
}

// Run serves one client over the standard streams until it closes them. version is that of
// the program.
func (c *MCP) Run(ctx context.Context, version Version) error {
	if err := c.Service.complete(); err != nil {
		return err
	}
	return mcp.ServeStdio(ctx, mcp.Options{Version: string(version)}, c.Service.URL, c.Service.Key)
}
