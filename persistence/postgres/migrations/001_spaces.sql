-- Names and keys are bytea: text refuses the NUL byte and sorts by a collation.

-- The newest epoch of each space. Each activation updates the row; the fill
-- factor leaves room for that on its page.
CREATE TABLE space (
	name bytea PRIMARY KEY,
	epoch bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE pair (
	space bytea,
	key bytea,
	value bytea NOT NULL,
	PRIMARY KEY (space, key)
);

CREATE TABLE directory (
	kind bytea,
	name bytea,
	value bytea NOT NULL,
	PRIMARY KEY (kind, name)
);
