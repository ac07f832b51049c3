package postindex

import "iter"

// versions yields the versions of all posts that match, or an error and no more.
func (p *plan) versions() iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		sources, err := p.snapshot.readers()
		for i := 0; i < len(sources) && err == nil; i++ {
			var f *matches
			if f, err = p.in(sources[i]); err != nil || f.count == 0 {
				continue
			}
			var column values
			if column, err = f.reader.column(columnVersion); err != nil {
				continue
			}
			for docNum := range f.docNums() {
				if !yield(uint64(column.at(docNum)), nil) {
					return
				}
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}
