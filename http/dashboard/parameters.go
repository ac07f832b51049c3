package dashboard

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"watchpost/watchpost"
)

// parameters are those of a feed's address, each value by itself.
type parameters struct{ values url.Values }

// listParameters take several values, otherParameters take one.
var listParameters, otherParameters = feedParameters()

func feedParameters() (several, one []string) {
	several = []string{"watchlist_id"}
	for _, filter := range watchpost.PostFilters() {
		for i := range filter.Params {
			if param := &filter.Params[i]; param.Texts != nil {
				several = append(several, param.Name)
			} else {
				one = append(one, param.Name)
			}
		}
	}
	return several, append(one, "sort_by")
}

// maxFilters bounds the filters of a feed as its links have them: a page has more than a
// hundred of those.
const maxFilters = 2 << 10

// parametersOf keeps what the feed knows, without the page (Invalid).
func parametersOf(u *url.URL) (parameters, error) {
	given, kept := u.Query(), url.Values{}
	for _, name := range listParameters {
		for _, value := range slices.Concat(given[name], given[name+"[]"]) {
			for one := range strings.SplitSeq(value, ",") {
				if one = strings.TrimSpace(one); one != "" {
					kept.Add(name, one)
				}
			}
		}
	}
	for _, name := range otherParameters {
		if value := given.Get(name); value != "" && value != "false" && value != "0" {
			kept.Set(name, value)
		}
	}
	if len(kept.Encode()) > maxFilters {
		return parameters{}, watchpost.Errorf(watchpost.Invalid, "These are too many filters, or too long ones, for a page. Take some away.")
	}
	return parameters{kept}, nil
}

// readFeed reads the address of a feed: its watchlists, its query, and its parameters.
func (d feedPages) readFeed(r *http.Request) (named []string, q watchpost.PostQuery, p parameters, err error) {
	if named, q, err = d.ReadPosts(r); err == nil {
		p, err = parametersOf(r.URL)
	}
	return named, q, p, err
}

func (p parameters) href() string {
	if len(p.values) == 0 {
		return pathFeed
	}
	return pathFeed + "?" + p.values.Encode()
}

func (p parameters) page(n int) string {
	next := p.with("page")
	if n > 1 {
		next.values.Set("page", strconv.Itoa(n))
	}
	return next.href()
}

// with returns the parameters with the values of one replaced.
func (p parameters) with(name string, values ...string) parameters {
	next := url.Values{}
	for k, v := range p.values {
		next[k] = slices.Clone(v)
	}
	delete(next, name)
	if len(values) > 0 {
		next[name] = values
	}
	return parameters{next}
}

// hidden are the parameters that a form with those names keeps.
func (p parameters) hidden(names ...string) []field {
	var fields []field
	for _, name := range slices.Concat(listParameters, otherParameters) {
		if slices.Contains(names, name) {
			continue
		}
		for _, value := range p.values[name] {
			fields = append(fields, field{name, value})
		}
	}
	return fields
}

type field struct{ Name, Value string }
