package requests

import "testing"

// A crawl of 90,000 archives of pages and as many of robots.txt asks S3 for less than half a million things, those for
// the archives included, with any number of shards from 100 to 200, and with all pages.
func TestCrawl(t *testing.T) {
	const inputs, limit = 180_000, 500_000
	for name, j := range map[string]Job{
		"default": {Facts: [3]float64{83e9, 68e9, 14e9}, Parts: 10_000},
		"all":     {Facts: [3]float64{83e9, 68e9, 255e9}, Parts: 50_000},
	} {
		j.Inputs, j.Buckets, j.Policies, j.Answers = inputs, 64, 1, 15e9
		for j.Shards = 100; j.Shards <= 200; j.Shards++ {
			if n := j.All().All() + inputs; n > limit {
				t.Errorf("--pages %s, %d shards: %.0f requests: %+v, %+v, %+v, %+v", name, j.Shards, n, j.Extract(),
					j.Resolve(), j.Analyze(), j.Complete())
			}
		}
	}
}
