package engagementindex_test

import "context"

var ctx = context.Background()
