package table

import "github.com/acapscan/acapscan/ingest/weburl"

// FillURL sets the columns of key that come from the URL alone: url_surtkey, url, those of its host, url_path and
// url_query.
func FillURL(key *Key, raw string) {
	c := weburl.ColumnsOf(raw)
	key.URLSurtkey = ObservedIn(&c.SURTKey)
	key.URL = Observed(raw)
	key.Host = hostOf(&c)
	key.Path = ObservedIn(&c.Path)
	key.Query = ObservedIn(&c.Query)
}

// FillHost sets the columns of a site's host. Site is scheme, host and port, as the column site has it: the port is
// null where the scheme's own is meant.
func FillHost(host *Host, site string) {
	c := weburl.ColumnsOf(site)
	*host = hostOf(&c)
}

// hostOf returns columns that share one allocation: c must not change.
func hostOf(c *weburl.Columns) Host {
	return Host{
		HostName:         c.HostName,
		HostNameReversed: ObservedIn(&c.HostNameReversed),
		HostTLD:          ObservedIn(&c.HostTLD),
		RegisteredDomain: ObservedIn(&c.HostRegisteredDomain),
		SURTHostName:     c.SURTHostName,
		Protocol:         c.Protocol,
		Port:             c.Port,
	}
}
