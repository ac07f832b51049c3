package headless

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"

	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// postInput is the common input of likes and comments: the post and the actor.
type postInput struct{ watchpost.CommentInput }

// parsePost parses the input and builds the post's address.
func parsePost(raw json.RawMessage) (in postInput, path string, err error) {
	if err = decode(raw, &in); err != nil {
		return in, "", err
	}
	path, err = postPath(in.URN)
	return in, path, err
}

// actorOn returns the actor's URN, and its slug for a company, on a page of the
// network: the viewer, or the company with that title.
func (in postInput) actorOn(viewer *page.Viewer) (urn, company string, err error) {
	if in.Actor != page.ActorCompany {
		return viewer.URN, "", nil
	}
	for _, c := range viewer.Companies {
		if c.Name == in.Company || c.Slug == in.Company || c.URN == in.Company {
			return c.URN, c.Slug, nil
		}
	}
	return "", "", faultf(protocol.CodeCompanyNotManaged, "the account does not manage a page of %q", in.Company)
}

// like implements agent_like_post.
type like struct {
	in      postInput
	path    string // of the post, from its page once read
	company string
}

func newLike(input json.RawMessage) (writer, error) {
	in, path, err := parsePost(input)
	return &like{in: in, path: path}, err
}

// look implements writer: it checks whether the actor likes the post.
func (l *like) look(ctx context.Context, net *client) (Witness, error) {
	data, err := net.get(ctx, l.path, nil, page.KindPost)
	if err != nil {
		return Witness{}, err
	}
	urn, company, err := l.in.actorOn(data.Viewer)
	if err != nil {
		return Witness{}, err
	}
	l.path, l.company = data.Post.Path, company
	return Witness{Done: slices.Contains(data.Post.LikedBy, urn)}, nil
}

// act implements writer.
func (l *like) act(ctx context.Context, net *client, as string) error {
	_, err := net.apply(ctx, as, l.path+"/like", url.Values{"actor": {l.company}})
	return err
}

// output implements writer.
func (l *like) output() any { return map[string]bool{"liked": true} }
