package mcp

import "slices"

// tools is the table of all tools, in the order in which a client lists them.
var tools = slices.Concat(postTools, leadTools, figureTools, watchlistTools, taskTools, engageTools, ruleTools, teamTools)
