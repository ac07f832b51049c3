package headless

import (
	"context"
	"net/url"
	"strings"

	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// scanKeyword implements keyword_scan: the results of the network's search.
func scanKeyword(ctx context.Context, r *run) (any, error) {
	return scanSearch(ctx, r, "/search/posts", page.KindSearch)
}

// scanForum implements forum_scan: the results of the forum's search.
func scanForum(ctx context.Context, r *run) (any, error) {
	return scanSearch(ctx, r, "/forum/search", page.KindForum)
}

func scanSearch(ctx context.Context, r *run, path string, kind page.Kind) (any, error) {
	var in watchpost.ScanInput
	if err := decode(r.in, &in); err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Keyword) == "" {
		return nil, faultf(protocol.CodeInvalidInput, "no keyword")
	}
	return scanPages(ctx, &scan{run: r, since: in.Since, kind: kind, path: path, query: url.Values{"q": {in.Keyword}}})
}

// scanPeople implements people_scan: a member's posts.
func scanPeople(ctx context.Context, r *run) (any, error) {
	var in watchpost.ScanInput
	if err := decode(r.in, &in); err != nil {
		return nil, err
	}
	path, err := memberPath(in.Profile)
	if err != nil {
		return nil, err
	}
	return scanPages(ctx, &scan{run: r, since: in.Since, kind: page.KindPosts, path: path + "/posts"})
}

// scanCompany implements company_scan: a company's posts.
func scanCompany(ctx context.Context, r *run) (any, error) {
	var in watchpost.ScanInput
	if err := decode(r.in, &in); err != nil {
		return nil, err
	}
	path, err := companyPath(in.Company)
	if err != nil {
		return nil, err
	}
	return scanPages(ctx, &scan{run: r, since: in.Since, kind: page.KindPosts, path: path + "/posts"})
}
