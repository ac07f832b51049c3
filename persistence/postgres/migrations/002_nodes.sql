-- The nodes of a cluster (internal/cluster). A node is a member until expires_at
-- by this server's clock; an expired row is a member until it is deleted, because
-- owners change with the version of the view only.
CREATE TABLE node (
	id text COLLATE "C" PRIMARY KEY, -- the advertised address
	incarnation text NOT NULL,       -- of the process
	build text NOT NULL,
	expires_at timestamptz NOT NULL,
	seen bigint NOT NULL,            -- the last view that the node has confirmed
	draining boolean NOT NULL,
	teams integer NOT NULL           -- in memory, for operators
) WITH (fillfactor = 50);

-- The number of the view: it grows with every change of members.
CREATE TABLE cluster_view (version bigint NOT NULL);
INSERT INTO cluster_view VALUES (0);
