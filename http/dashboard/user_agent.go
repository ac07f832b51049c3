package dashboard

import (
	"cmp"
	"strings"
)

// Parts of a User-Agent header and what they stand for. The first that occurs counts:
// browsers name those that they are like, too.
var (
	agentBrowsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}}
	agentSystems  = [][2]string{{"Android", "Android"}, {"iPhone", "iOS"}, {"iPad", "iPadOS"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

// agentName names the browser and system of a User-Agent header. A header that names
// no known browser is returned as it is.
func agentName(agent string) string {
	return cmp.Or(agentKind(agent), agent, "an unknown browser")
}

// agentKind is agentName in words of ours alone; "" when they say nothing of the browser.
func agentKind(agent string) string {
	first := func(parts [][2]string) string {
		for _, p := range parts {
			if strings.Contains(agent, p[0]) {
				return p[1]
			}
		}
		return ""
	}
	browser := first(agentBrowsers)
	if browser == "" {
		return ""
	}
	if system := first(agentSystems); system != "" {
		return browser + ", " + system
	}
	return browser
}
