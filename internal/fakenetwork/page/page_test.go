package page_test

import (
	"errors"
	"testing"

	"watchpost/internal/fakenetwork/page"
)

func TestParse(t *testing.T) {
	t.Parallel()
	wrap := func(block string) string {
		return `<html><body><script type="application/json" id="page-data">` + block + `</script></body></html>`
	}
	for name, html := range map[string]string{
		"no page":             ``,
		"no block":            `<html><body>new look</body></html>`,
		"no end":              `<script type="application/json" id="page-data">{"v":1,"kind":"feed"}`,
		"no JSON":             wrap(`{"v":1,`),
		"other version":       wrap(`{"v":2,"kind":"sign_in"}`),
		"no kind":             wrap(`{"v":1}`),
		"list without paging": wrap(`{"v":1,"kind":"search","viewer":{"urn":"u"},"posts":[]}`),
		"list without viewer": wrap(`{"v":1,"kind":"posts","paging":{"page":1}}`),
		"profile without one": wrap(`{"v":1,"kind":"profile","viewer":{"urn":"u"}}`),
		"post without one":    wrap(`{"v":1,"kind":"post","viewer":{"urn":"u"}}`),
		"limit without one":   wrap(`{"v":1,"kind":"limit"}`),
	} {
		if data, err := page.Parse([]byte(html)); !errors.Is(err, page.ErrNotUnderstood) {
			t.Errorf("%s: %+v, %v", name, data, err)
		}
	}
	data, err := page.Parse([]byte(wrap(`{"v":1,"kind":"search","viewer":{"urn":"u"},"paging":{"page":1,"total":0},"more":"ignored"}`)))
	if err != nil || data.Kind != page.KindSearch || len(data.Posts) != 0 {
		t.Errorf("%+v, %v", data, err)
	}
}
