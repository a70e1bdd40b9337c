package rowtest

import (
	"fmt"
	"time"
)

// Simple is a row such as tables have many of, for benchmarks.
type Simple struct {
	Host    string    `parquet:"host,dict"`
	URL     string    `parquet:"url,plain"`
	Fetched time.Time `parquet:"fetched,timestamp"`
	Status  *int16    `parquet:"status"`
	Offset  int64     `parquet:"offset"`
	Length  int64     `parquet:"length"`
	MIME    *string   `parquet:"mime,dict"`
	OK      bool      `parquet:"ok"`
}

// SimpleRows returns n rows, twenty a host.
func SimpleRows(n int) []Simple {
	types := []*string{new("text/html"), nil, new("text/plain")}
	rows := make([]Simple, n)
	for i := range rows {
		host := fmt.Sprintf("www%d.example.com", i/20)
		rows[i] = Simple{host, fmt.Sprintf("https://%s/path/%d", host, i), noon.Add(time.Duration(i) * time.Second),
			new(int16(200 + i%5)), int64(i) * 1000, int64(i % 9999), types[i%3], i%2 == 0}
	}
	return rows
}
