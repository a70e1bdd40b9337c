package conformance_test

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/tools/conformance"
)

// runner is a Runner with the first stage of this project.
var runner = conformance.Runner{Page: page, Crawl: crawl}

func page(body []byte, mediaType string, headers []conformance.Header) (facts.Fact, []byte) {
	var header capture.Header
	for _, h := range headers {
		header = append(header, capture.Field{Name: []byte(h[0]), Value: []byte(h[1])})
	}
	return markup.Page(body, mediaType, header), markup.Text(body, mediaType, header)
}

// crawl makes the facts of captures as a scan would of an archive that holds them in this order.
func crawl(captures []conformance.Capture) ([]facts.Fact, error) {
	var emitted []facts.Fact
	finder := extract.NewFinder(
		extract.Options{Crawl: "suite", Subset: "warc", Filename: "suite.warc", Pages: extract.PagesAll},
	)
	task := extract.NewTask(
		extract.Options{Crawl: "suite", Subset: "warc", Filename: "suite.warc", Pages: extract.PagesAll},
		func(f *facts.Fact) error {
			kept := *f
			kept.Body, kept.Counts = bytes.Clone(f.Body), slices.Clone(f.Counts) // they are the Task's
			emitted = append(emitted, kept)
			return nil
		},
	)
	reader := capture.NewReader(capture.Options{Want: extract.Want})
	for i, c := range captures {
		http := fmt.Sprintf("HTTP/1.1 %d \r\n", c.Status)
		for _, h := range c.Headers {
			http += h[0] + ": " + h[1] + "\r\n"
		}
		http += "\r\n"
		record := &archive.Record{
			Format: archive.FormatWARC,
			Type:   archive.Response,
			URI:    c.URL,
			Date:   c.Time.UTC(),
			Offset: int64(1000 * i),
		}
		if c.Revisit {
			sum := sha1.Sum(c.Body)
			record.Type = archive.Revisit
			record.Header = archive.Header{
				{Name: "WARC-Payload-Digest", Value: "sha1:" + base32.StdEncoding.EncodeToString(sum[:])},
			}
		} else {
			http += string(c.Body)
		}
		record.Block, record.DeclaredLength = strings.NewReader(http), int64(len(http))
		read, err := reader.Read(record)
		if err != nil {
			return nil, err
		}
		read.Length = 1000
		if err := task.Take(finder.Find(read)); err != nil {
			return nil, err
		}
	}
	return emitted, task.Finish()
}
