package table

import (
	"testing"

	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/google/go-cmp/cmp"
)

func TestFillURL(t *testing.T) {
	tests := []struct {
		name, url string
		want      Key
	}{
		{
			"host, port, path and query", "http://www.Example.co.uk:8080/news?id=7",
			Key{
				URLSurtkey: Of("uk,co,example:8080)/news?id=7"),
				URL:        Of("http://www.Example.co.uk:8080/news?id=7"),
				Host: Host{
					HostName: "www.example.co.uk", HostNameReversed: Of("uk.co.example.www"), HostTLD: Of("uk"),
					RegisteredDomain: Of("example.co.uk"), SURTHostName: "uk,co,example", Protocol: "http",
					Port: Of(int32(8080)),
				},
				Path: Of("/news"), Query: Of("id=7"),
			},
		},
		{
			"IP address, nothing after it", "https://192.0.2.1",
			Key{
				URLSurtkey: Of(weburl.ColumnsOf("https://192.0.2.1").SURTKey),
				URL:        Of("https://192.0.2.1"),
				Host:       Host{HostName: "192.0.2.1", SURTHostName: "1,2,0,192", Protocol: "https"},
			},
		},
		{"empty", "", Key{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got Key
			FillURL(&got, test.url)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestFillURLLeavesTheOtherColumns(t *testing.T) {
	got := Key{WARCFilename: Of("a.warc.gz")}
	FillURL(&got, "http://example.com/")
	if got.WARCFilename == nil || *got.HostTLD != "com" {
		t.Errorf("%+v", got)
	}
}

func TestFillHostIsThatOfTheSitesURLs(t *testing.T) {
	for _, site := range []string{"http://www.example.com", "https://example.com:8443", "http://192.0.2.1"} {
		var host Host
		FillHost(&host, site)
		var key Key
		FillURL(&key, site+"/a?b")
		if diff := cmp.Diff(key.Host, host); diff != "" {
			t.Errorf("%s (-URL +site):\n%s", site, diff)
		}
	}
}
