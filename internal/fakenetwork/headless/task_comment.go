package headless

import (
	"context"
	"encoding/json"
	"net/url"

	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
)

// comment implements agent_comment_post.
type comment struct {
	in      postInput
	path    string // of the post, from its page once read
	company string
	urn     string // of the actor's newest comment with the text
}

func newComment(input json.RawMessage) (writer, error) {
	in, path, err := parsePost(input)
	if err == nil && in.Text == "" {
		err = faultf(protocol.CodeInvalidInput, "no comment_text")
	}
	return &comment{in: in, path: path}, err
}

// look implements writer: it counts the actor's comments with the text.
func (c *comment) look(ctx context.Context, net *client) (Witness, error) {
	data, err := net.get(ctx, c.path, nil, page.KindPost)
	if err != nil {
		return Witness{}, err
	}
	urn, company, err := c.in.actorOn(data.Viewer)
	if err != nil {
		return Witness{}, err
	}
	c.path, c.company = data.Post.Path, company
	w := Witness{}
	for _, shown := range data.Comments {
		if shown.Author.URN == urn && shown.Text == c.in.Text {
			w.Count++
			c.urn = shown.URN
		}
	}
	return w, nil
}

// act implements writer.
func (c *comment) act(ctx context.Context, net *client, as string) error {
	done, err := net.apply(ctx, as, c.path+"/comment", url.Values{"actor": {c.company}, "text": {c.in.Text}})
	if err == nil {
		c.urn = done.URN
	}
	return err
}

// output implements writer.
func (c *comment) output() any {
	return struct {
		Commented  bool   `json:"commented"`
		CommentURN string `json:"comment_urn"`
	}{true, c.urn}
}
