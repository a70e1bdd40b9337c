package table

import "github.com/acapscan/acapscan/ingest/weburl"

// FillURL sets the columns of key that come from the URL alone: url_surtkey, url, those of its host, url_path and
// url_query.
func FillURL(key *Key, raw string) {
	c := weburl.ColumnsOf(raw)
	key.URLSurtkey = Observed(c.SURTKey)
	key.URL = Observed(raw)
	key.Host = hostOf(c)
	key.Path = Observed(c.Path)
	key.Query = Observed(c.Query)
}

// FillHost sets the columns of a site's host. Site is scheme, host and port, as the column site has it: the port is
// null where the scheme's own is meant.
func FillHost(host *Host, site string) { *host = hostOf(weburl.ColumnsOf(site)) }

func hostOf(c weburl.Columns) Host {
	return Host{
		HostName:         c.HostName,
		HostNameReversed: Observed(c.HostNameReversed),
		HostTLD:          Observed(c.HostTLD),
		RegisteredDomain: Observed(c.HostRegisteredDomain),
		SURTHostName:     c.SURTHostName,
		Protocol:         c.Protocol,
		Port:             c.Port,
	}
}
