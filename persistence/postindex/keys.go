package postindex

import (
	"encoding/binary"

	"watchpost/watchpost"
)

// Keys in a team's space. All begin with 'p'; numbers are big-endian. A version
// is what one write made of a post; see manifest.
//
//	key                          value
//	p M                          manifest
//	p W                          the watchlists that posts bear marks of
//	p I <id, 16>                 the version of the post with that id
//	p U <urn>                    the version of the post with that urn
//	p B <version, 8>             the post: record
//	p E <version, 8>             the post's entry in the buffer: entry
//	p S <segment, 4> <part>      parts of a flushed segment:
//	    C <column>               values of the posts: column
//	    O <order>                the posts in an order: document numbers of two bytes
//	    N <chunk, 2>             ids of idChunk posts
//	    T <block, 4>             terms and the posts that have them: block
//	    P <term, 8>              the posts of a term that are many: roaring
//	    F                        which terms the segment may have: filter
//	    L                        languages of the posts
//	    A                        authors of the posts: authorColumn
//	    D                        posts that are deleted or replaced: roaring
const (
	// FirstKey is the key that every query reads first.
	FirstKey = keyManifest

	keyManifest   = "pM"
	keyWatchlists = "pW"
	keyID         = "pI"
	keyURN        = "pU"
	keyRecord     = "pB"
	keyEntry      = "pE"
	keySegment    = "pS"

	partColumn    = 'C'
	partOrder     = 'O'
	partIDs       = 'N'
	partBlock     = 'T'
	partPostings  = 'P'
	partFilter    = 'F'
	partLanguages = 'L'
	partAuthors   = 'A'
	partDeleted   = 'D'
)

// maxURN keeps a urn's key within the store's.
const maxURN = 900

func versionKey(prefix string, version uint64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, len(prefix)+8), prefix...), version)
}

func idKey(id uuid) []byte { return append([]byte(keyID), id[:]...) }

func urnKey(urn string) []byte { return append([]byte(keyURN), urn...) }

// segmentKey is the first key of a segment.
func segmentKey(segment uint32) []byte {
	return binary.BigEndian.AppendUint32(append(make([]byte, 0, 16), keySegment...), segment)
}

// partKey is the key of a part of a segment.
func partKey(segment uint32, part byte, rest ...byte) []byte {
	return append(append(segmentKey(segment), part), rest...)
}

func blockKey(segment, block uint32) []byte {
	return binary.BigEndian.AppendUint32(partKey(segment, partBlock), block)
}

func postingsKey(segment uint32, t term) []byte {
	return binary.BigEndian.AppendUint64(partKey(segment, partPostings), uint64(t))
}

func idsKey(segment uint32, chunk int) []byte {
	return binary.BigEndian.AppendUint16(partKey(segment, partIDs), uint16(chunk))
}

// uuid is the id of a post in sixteen bytes, which sort as the texts do.
type uuid [16]byte

// parseID reads an id in its canonical form: that of NewID.
func parseID(id watchpost.PostID) (u uuid, ok bool) {
	if len(id) != 36 {
		return u, false
	}
	n := 0
	for i := range len(id) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if id[i] != '-' {
				return u, false
			}
			continue
		}
		digit, ok := fromHex(id[i])
		if !ok {
			return u, false
		}
		u[n/2] = u[n/2]<<4 | digit
		n++
	}
	return u, true
}

func fromHex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}
