// Package useragent names browsers by their User-Agent headers.
package useragent

import (
	"cmp"
	"strings"
)

// Parts of a User-Agent header and their meaning. The first that occurs counts:
// browsers name those that they are like, too.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}}
	systems  = [][2]string{{"Android", "Android"}, {"iPhone", "iOS"}, {"iPad", "iPadOS"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

// Name names the browser and system of a User-Agent header. A header that names
// no known browser is returned as it is.
func Name(agent string) string {
	return cmp.Or(Kind(agent), agent, "an unknown browser")
}

// Kind names the browser and system like Name, but never has text of the header: it is ""
// for an unknown browser.
func Kind(agent string) string {
	first := func(parts [][2]string) string {
		for _, p := range parts {
			if strings.Contains(agent, p[0]) {
				return p[1]
			}
		}
		return ""
	}
	browser := first(browsers)
	if browser == "" {
		return ""
	}
	if system := first(systems); system != "" {
		return browser + ", " + system
	}
	return browser
}
