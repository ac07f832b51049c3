package headless

import (
	"context"
	"encoding/json"

	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// maxFetchedBytes bounds the posts of a task that fetches posts, because its
// output is one frame.
const maxFetchedBytes = 900 << 10

// fetched collects the newest posts of several authors, up to that bound.
type fetched struct {
	posts []json.RawMessage
	size  int
}

// add appends the newest posts of an author, those of the first page.
func (f *fetched) add(ctx context.Context, net *client, path string) error {
	data, err := net.get(ctx, path+"/posts", nil, page.KindPosts)
	if err != nil {
		return err
	}
	for i := range data.Posts {
		b, err := json.Marshal(postOf(net, &data.Posts[i]))
		if err != nil {
			return err
		}
		if f.size += len(b) + 1; f.size > maxFetchedBytes {
			f.size -= len(b) + 1
			return nil
		}
		f.posts = append(f.posts, b)
	}
	return nil
}

// fetchProfilesPosts implements agent_profiles_posts_fetch. A profile that does
// not exist has no posts; if none exists the task fails with not_found.
func fetchProfilesPosts(ctx context.Context, r *run) (any, error) {
	var in watchpost.ProfilesPostsInput
	if err := decode(r.in, &in); err != nil {
		return nil, err
	}
	if len(in.URNs) == 0 {
		return nil, faultf(protocol.CodeInvalidInput, "no profile_urns")
	}
	all, found := fetched{posts: []json.RawMessage{}}, false
	var missing error
	for _, urn := range in.URNs {
		path, err := memberPath(urn)
		if err == nil {
			err = all.add(ctx, r.net, path)
		}
		switch {
		case err == nil:
			found = true
		case hasCode(err, protocol.CodeNotFound):
			missing = err
		default:
			return nil, err
		}
	}
	if !found {
		return nil, missing
	}
	return rawPosts{Posts: all.posts}, nil
}

// fetchCompanyPosts implements agent_company_posts_fetch.
func fetchCompanyPosts(ctx context.Context, r *run) (any, error) {
	var in watchpost.CompanyInput
	if err := decode(r.in, &in); err != nil {
		return nil, err
	}
	path, err := companyPath(in.Slug)
	if err != nil {
		return nil, err
	}
	all := fetched{posts: []json.RawMessage{}}
	if err := all.add(ctx, r.net, path); err != nil {
		return nil, err
	}
	return rawPosts{Posts: all.posts}, nil
}
