package table

import "time"

// A Host is what a URL says of the machine it leads to, in the columns of Common Crawl's columnar index.
type Host struct {
	// Host name of the URL, in lower case, internationalised names in their xn-- form. Example: www.example.co.uk
	HostName string `parquet:"url_host_name,plain"`
	// Host name with its labels in reverse order, so that the hosts of a domain sort together. Null for an IP address.
	// Example: uk.co.example.www
	HostNameReversed *string `parquet:"url_host_name_reversed,optional,plain"`
	// Last label of the host name. Null for an IP address. Example: uk
	HostTLD *string `parquet:"url_host_tld,optional,dict"`
	// Registered domain of the host under the ICANN part of the public suffix list. Null for an IP address and for a
	// public suffix itself. Example: example.co.uk
	RegisteredDomain *string `parquet:"url_host_registered_domain,optional,plain"`
	// Host part of url_surtkey, without the port. Example: uk,co,example
	SURTHostName string `parquet:"surt_host_name,plain"`
	// Scheme of the URL, in lower case. Example: https
	Protocol string `parquet:"url_protocol,dict"`
	// Port, where the URL writes one. Example: 8080
	Port *int32 `parquet:"url_port,optional"`
}

// A Key is where a capture came from: its URL, its fetch, its content and its record in an archive. Names and
// derivations are those of Common Crawl's columnar index. (WARCFilename, RecordOffset) is exact, except for records
// that share a member.
type Key struct {
	// SURT form of the URL, made as the Internet Archive's aggressive canonicaliser does. Null only in rows about a
	// site. Example: uk,co,example)/news?id=7
	URLSurtkey *string `parquet:"url_surtkey,optional,plain"`
	// URL of the capture, as the archive writes it. Null only in rows about a site.
	// Example: https://www.example.co.uk/news?id=7
	URL *string `parquet:"url,optional,plain"`
	Host
	// Path of the URL. Example: /news
	Path *string `parquet:"url_path,optional,plain"`
	// Query of the URL, without the question mark. Null where the URL has none. Example: id=7
	Query *string `parquet:"url_query,optional,plain"`
	// Time of the capture (WARC-Date), UTC. Example: 2018-08-14T09:26:53.000Z
	FetchTime *time.Time `parquet:"fetch_time,optional,timestamp(millisecond)"`
	// HTTP status of the answer. Null where none could be read. Example: 200
	FetchStatus *int16 `parquet:"fetch_status,optional"`
	// Target of a redirect, made absolute. Example: https://www.example.co.uk/robots.txt
	FetchRedirect *string `parquet:"fetch_redirect,optional,plain"`
	// SHA-1 of the payload in base32, as the archive states it (WARC-Payload-Digest without sha1:), unchecked; else
	// computed. Example: FZDQQJYDQLYCQTLJ3MHYRHB3EQZVAXYS
	ContentDigest *string `parquet:"content_digest,optional,plain"`
	// Media type that the server stated, in lower case and without parameters. Example: text/html
	MIMEType *string `parquet:"content_mime_type,optional,dict"`
	// Media type that the crawler detected, where the archive says so. Example: application/xhtml+xml
	MIMEDetected *string `parquet:"content_mime_detected,optional,dict"`
	// Languages that the crawler detected, ISO-639-3 codes with commas between, where the archive says so.
	// Example: eng,cym
	Languages *string `parquet:"content_languages,optional,dict"`
	// Why the payload is cut, as the archive says (WARC-Truncated: length, time, disconnect, unspecified);
	// length-suspected where only its length suggests a cut. Null: whole. Example: length
	Truncated *string `parquet:"content_truncated,optional,dict"`
	// Segment of the crawl, where the path of the input names one. Example: 1534221215284.54
	WARCSegment *string `parquet:"warc_segment,optional,dict"`
	// Archive file that holds the record: from crawl-data/ on where the path has it, else the input as given.
	// Example: crawl-data/CC-MAIN-2018-34/segments/1534221215284.54/robotstxt/CC-MAIN-20180819-00000.warc.gz
	WARCFilename *string `parquet:"warc_filename,optional,dict"`
	// Offset in bytes of the record (compressed: of its member) in the file. Example: 854213
	RecordOffset *int64 `parquet:"warc_record_offset,optional"`
	// Length in bytes of the record in the file, as compressed there. Null where records share a compressed member.
	// Example: 1432
	RecordLength *int64 `parquet:"warc_record_length,optional"`
}

// An Input is a row of inputs: one input file and what became of it. Numbers are of records unless they say otherwise.
type Input struct {
	// Archive file: the path from crawl-data/ on if it has that, else the input as given.
	// Example: crawl-data/CC-MAIN-2018-34/segments/1534221215284.54/robotstxt/CC-MAIN-20180819-00000.warc.gz
	WARCFilename string `parquet:"warc_filename,plain"`
	// The input was read to its end, or to the last of the records that were asked for, despite any defects. False: the
	// other tables hold only a part of it. Example: true
	Complete bool `parquet:"complete"`
	// Records that were asked for by their coordinates; nothing else of the input was read. Null: all of the input.
	// Example: 12
	RecordsAsked *int64 `parquet:"records_asked,optional"`
	// What was unreadable, in one sentence with the offset. Null: nothing.
	// Example: the file ends inside a gzip member at offset 1048576
	Error *string `parquet:"error,optional,plain"`
	// Bytes read from the input, compressed. Example: 5021144
	Bytes *int64 `parquet:"bytes,optional"`
	// SHA-256 of the bytes read, in lower-case hexadecimal. Null if the input was not read from its first byte to its
	// last. Example: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
	Digest *string `parquet:"digest,optional,plain"`
	// Compressed members or frames; 0 in an uncompressed file. Example: 3129
	Members int64 `parquet:"members"`

	// Records of any type. Example: 3129
	Records int64 `parquet:"records"`
	// Records of type warcinfo; version blocks of an ARC. Example: 1
	RecordsWarcinfo int64 `parquet:"records_warcinfo"`
	// Records of type response; every other record of an ARC. Example: 1042
	RecordsResponse int64 `parquet:"records_response"`
	// Records of type request. Example: 1042
	RecordsRequest int64 `parquet:"records_request"`
	// Records of type resource. Example: 0
	RecordsResource int64 `parquet:"records_resource"`
	// Records of type metadata. Example: 1042
	RecordsMetadata int64 `parquet:"records_metadata"`
	// Records of type revisit. They have no body, so they give no directives. Example: 2
	RecordsRevisit int64 `parquet:"records_revisit"`
	// Records of type conversion. Example: 0
	RecordsConversion int64 `parquet:"records_conversion"`
	// Records of any other type, continuation included. Example: 0
	RecordsOther int64 `parquet:"records_other"`

	StatusClasses
	// Captures that were read as HTML (R-PARSE-1). Example: 987
	HTML int64 `parquet:"html"`
	// Captures that were read as XML (R-PARSE-1). Example: 12
	XML int64 `parquet:"xml"`
	// Captures of /robots.txt, failures and redirects included. Example: 43
	Robots int64 `parquet:"robots"`
	// Captures of other files that a policy may point to (R-REF-1, R-SITE-2). Example: 1
	PolicyFiles int64 `parquet:"policy_files"`
	// Page captures with a row in pages. A page in place of a robots.txt (R-LEX-7) also has one, and is counted under
	// robots. Example: 77
	PagesKept int64 `parquet:"pages_kept"`
	// Captures without a body, as in a WAT: METAs by name and content, and the header. If not 0, class tokens,
	// processing instructions and robots.txt bodies of this input are missing. Example: 0
	CapturesPartial int64 `parquet:"captures_partial"`
	// Skipped records, by reason. Example: {'media-type': 120, 'revisit': 2}
	Skipped Counts `parquet:"skipped"`

	// Captures with a cut payload (WARC-Truncated, or the end of the file). Example: 3
	Truncated int64 `parquet:"truncated_records"`
	// Defects of the archive, of HTTP and of pages, by code. Example: {'content-length': 1}
	Defects Counts `parquet:"defects"`
	// Offset in bytes in the input of the first defect of the archive. Example: 73310
	FirstDefectOffset *int64 `parquet:"first_defect_offset,optional"`
}

// StatusClasses counts HTTP captures by the class of their status.
type StatusClasses struct {
	// HTTP captures: responses, resources and revisits. Example: 1044
	Captures int64 `parquet:"captures"`
	// Captures with a status from 200 to 299. Example: 998
	Captures2xx int64 `parquet:"captures_2xx"`
	// Captures with a status from 300 to 399. Example: 21
	Captures3xx int64 `parquet:"captures_3xx"`
	// Captures with a status from 400 to 499. Example: 22
	Captures4xx int64 `parquet:"captures_4xx"`
	// Captures with a status from 500 to 599. Example: 1
	Captures5xx int64 `parquet:"captures_5xx"`
	// Captures with any other status. Example: 0
	CapturesOther int64 `parquet:"captures_other"`
	// Captures in which no status could be read. Example: 2
	CapturesNone int64 `parquet:"captures_none"`
}

// A Robots is a row of robots: one capture of /robots.txt. Where a redirect was followed inside the corpus, the columns
// from Outcome on tell of the capture that answered (R-SITE-2), and those of the key of the redirect.
type Robots struct {
	Key
	// Site that was asked: scheme, host, and port unless it is the default. Example: https://www.example.co.uk
	Site string `parquet:"site,plain"`
	// Type of the record with the capture; metadata is of a WAT, without a body. Example: response
	RecordType RecordType `parquet:"record_type,dict"`

	// Result of the request. rules: 2xx with at least one permission or prohibition that can decide (an empty Disallow
	// is one). no-rules: 2xx without any, such as an empty file, or one with all rules invalid or outside of groups and
	// records. redirect-unresolved: also a revisit, a 304 or a capture in a WAT, if the archives lack the body.
	// not-captured does not occur here. Example: rules
	Outcome RobotsOutcome `parquet:"robots_outcome,dict"`
	// Rows about the site use this capture: the latest conclusive answer (R-SITE-1). Example: true
	Selected bool `parquet:"selected"`
	// URL of the capture that answered after redirects (R-SITE-2). Null without redirects.
	// Example: https://www.example.co.uk/robots.txt
	AnsweredURL *string `parquet:"answered_url,optional,plain"`
	// warc_filename of the capture that answered after redirects. Example: robots-00001.warc.gz
	AnsweredWARCFilename *string `parquet:"answered_warc_filename,optional,dict"`
	// warc_record_offset of the capture that answered after redirects. Example: 5120
	AnsweredRecordOffset *int64 `parquet:"answered_warc_record_offset,optional"`

	// Bytes of the whole decoded body, also of a page in its place. Null without a body. Example: 1318
	BodyBytes *int64 `parquet:"body_bytes,optional"`
	// SHA-256 of the kept part of the decoded body, in lower-case hexadecimal.
	// Example: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
	BodyDigest *string `parquet:"body_digest,optional,plain"`
	// Lines read (R-LEX-1, R-LEX-8). Example: 41
	Lines *int64 `parquet:"lines,optional"`
	// Version of the marker, as written (R-LEX-3). Null without a marker. Example: 1.0
	ACAPVersion *string `parquet:"acap_version,optional,dict"`
	// Lines with an ACAP field, known or not. Example: 12
	ACAPFields *int64 `parquet:"acap_fields,optional"`
	// ACAP records (R-REC-2). Example: 2
	ACAPRecords *int64 `parquet:"acap_records,optional"`
	// Lines with user-agent, allow or disallow. Example: 18
	REPFields *int64 `parquet:"rep_fields,optional"`
	// Conventional groups (R-REP-1). Example: 3
	REPGroups *int64 `parquet:"rep_groups,optional"`
	// Lines with other fields, by name in lower case: sitemap, crawl-delay, content-signal, content-usage, license and
	// others. Example: {'crawl-delay': 1, 'sitemap': 2}
	OtherFields Counts `parquet:"other_fields"`

	// Defects of the capture, of the capture that answered, of the file and of its statements, each once, sorted.
	// Example: ['conventional-in-record', 'definition-late']
	Defects []string `parquet:"defects,list,dict"`
	// Hash of the normalised ACAP statements: equal files have equal hashes. Null if no statement decides anything.
	// Example: b5bb9d8014a0f9b1
	ACAPFingerprint *string `parquet:"acap_fingerprint,optional,plain"`
}

// A Page is a row of pages: one captured page.
type Page struct {
	Key
	// Site of the page: scheme, host, and port unless it is the default. Example: https://www.example.co.uk
	Site string `parquet:"site,plain"`

	// The capture is from a WAT: METAs by name and content (those of the body included) and X-Robots-Tag; class tokens,
	// processing instructions and typographic quotes are missing. Filter by it where absence counts. Example: false
	Partial bool `parquet:"partial"`
	// How the page was parsed (R-PARSE-1). Null without markup, such as a PDF with an X-Robots-Tag. Example: html
	ParsedAs *Parser `parquet:"parsed_as,optional,dict"`
	// Character encoding that the page was read in. Example: utf-8
	Charset *string `parquet:"charset,optional,dict"`
	// ACAP version that the page states by META, as written (R-META-4). Example: 1.1
	ACAPVersion *string `parquet:"acap_version,optional,dict"`
	// METAs that count as ACAP (R-META-1). Those in the body are acap_meta_in_body. Example: 1
	ACAPMeta int64 `parquet:"acap_meta"`
	// ACAP METAs in the body (R-META-1). They are ignored; with --body-metas they also count in acap_meta. 0 for a page
	// in a WAT, which does not say where a META stands. Example: 0
	ACAPBody int64 `parquet:"acap_meta_in_body" since:"2"`
	// METAs whose content begins with the word ACAP and is prose (R-META-1). Example: 0
	ACAPText int64 `parquet:"acap_text"`
	// ACAP class tokens (R-CLASS-1). Example: 3
	ACAPClass int64 `parquet:"acap_class"`
	// robots processing instructions, legal or not (R-PI-1). Example: 0
	PI int64 `parquet:"pi"`
	// X-Robots-Tag header fields (R-HDR-1). Example: 1
	XRobotsTag int64 `parquet:"x_robots_tag"`
	// Conventional METAs that address crawlers. Those in the body are conventional_meta_in_body. Example: 1
	ConventionalMeta int64 `parquet:"conventional_meta"`
	// Conventional METAs for crawlers in the body (R-META-1). They are ignored, and missing in conventional_meta and
	// conventional_directives; with --body-metas they count in both. 0 for a page in a WAT. Example: 0
	ConventionalBody int64 `parquet:"conventional_meta_in_body" since:"2"`
	// Conventional directives of METAs, header fields and processing instructions, normalised: lower case, a named
	// agent before a colon, each once, sorted. Example: ['bingbot:noarchive', 'noindex']
	Conventional []string `parquet:"conventional_directives,list,dict"`
	// Defects of the capture, of the page and of its statements, each once, sorted. Example: ['smart-quotes']
	Defects []string `parquet:"defects,list,dict"`
}

// A Directive is a row of directives: one statement, or a field that is only recorded.
type Directive struct {
	Key
	// Site that the statement is about: that of the capture, or one whose robots.txt redirects or refers to it
	// (R-SITE-2, R-REF-1). The statement has a row and a statement_id for each site. Example: https://www.example.co.uk
	Site string `parquet:"site,plain"`

	// Id of the statement, for deciding_ids of permissions, first_id and second_id of conflicts. The same statement in
	// the same record has the same id for the same site in every run. Example: 3fdba35f04dc8c462986c992
	StatementID string `parquet:"statement_id,plain"`
	// Carrier of the statement. Example: robots.txt
	Source Source `parquet:"source,dict"`
	// Language of the statement. Example: acap
	Vocabulary Vocabulary `parquet:"vocabulary,dict"`
	// Line in a robots.txt, from 1; in a tdmrep.json the number of the rule. Null elsewhere. Example: 12
	Line *int32 `parquet:"line,optional"`
	// Byte offset of the tag or processing instruction in the decoded page; index of the header field, from 0. Null in
	// a robots.txt and for a META of a WAT. Example: 512
	ByteOffset *int64 `parquet:"byte_offset,optional"`
	// Number of the statement, from 1, among several that were written as one. Example: 1
	Part int32 `parquet:"part"`
	// Name of the element with the class token, in lower case (R-CLASS-1). Example: div
	ElementName *string `parquet:"element_name,optional,dict"`
	// The id attribute of that element. Example: main-story
	ElementID *string `parquet:"element_id,optional,plain"`
	// Name of the field or directive, in lower case. Example: acap-disallow-index
	Field string `parquet:"field,dict"`
	// Crawlers that the statement is for, as written, at most the first 1000; * is any. Example: ['*']
	Agents []string `parquet:"agents,list,dict"`
	// Purpose patterns, as written, at most the first 1000. Empty: any purpose. Example: ['news-*']
	Purposes []string `parquet:"purposes,list,dict"`
	// allow or disallow. Null for a statement that is only recorded. Example: disallow
	Sense *Sense `parquet:"sense,optional,dict"`
	// Usage that the statement is about. Null without a usage. Example: index
	Usage *Usage `parquet:"usage,optional,dict"`
	// Resource as written: a pattern or the name of a resource set. Null for a statement about its page, and if none is
	// written. Of a statement that is only recorded: what was written. Example: /archive/
	Resource *string `parquet:"resource,optional,plain"`
	// Restrictions on the permission, definitions resolved, values as written, at most 100.
	// Example: [{'name': 'time-limit', 'value': '30-days'}]
	Qualifiers []Qualifier `parquet:"qualifiers,list"`
	// How the statement was read. Only valid and repaired ones decide. Example: valid
	Status Status `parquet:"status,dict"`
	// Defects of the statement, each once, sorted. Example: ['definition-late']
	Defects []string `parquet:"defects,list,dict"`
	// Vendor that wrote the line in front of the site's own robots.txt, in lower case (R-SIG-2). Null for the site's
	// own lines, and elsewhere. Example: cloudflare
	ManagedBy *string `parquet:"managed_by,optional,dict" since:"4"`
	// The line, attribute, token, processing instruction or header field as written, at most 4096 bytes. Null for a
	// META of a WAT. Third-party text: null under --no-verbatim. Example: ACAP-disallow-index: /archive/
	Raw *string `parquet:"raw,optional,plain"`
}

// An Adoption is a row of adoption: one site that was seen, with or without a robots.txt.
type Adoption struct {
	// Scheme, host, and port unless it is the default. Example: https://www.example.co.uk
	Site string `parquet:"site,plain"`
	Host

	// The highest class that applies, by the site's robots.txt and all its pages. If the rules cannot be compared
	// within the budget, the class is crawl-differs and adoption_class_exact is false. Example: mirrors-rep
	Class AdoptionClass `parquet:"adoption_class,dict"`
	// False if a comparison exceeded its budget: ACAP and the conventional rules may be the same. Example: true
	ClassExact bool `parquet:"adoption_class_exact"`
	// ACAP versions in the site's robots.txt and pages, as written, each once, sorted; of pages the first 1000 by time.
	// If there are more, permissions_complete is false. Example: ['1.0']
	ACAPVersions []string `parquet:"acap_versions,list,dict"`
	// Features of ACAP that the site uses, each once, sorted. Example: ['crawler-record', 'version-marker']
	Features []string `parquet:"features,list,dict"`
	// Crawlers that the site names in ACAP or conventionally, without *, in lower case, each once, sorted; of pages the
	// first 10000 by time. If there are more, permissions_complete is false. Example: ['googlebot', 'slurp']
	AgentsNamed []string `parquet:"agents_named,list,dict"`
	// acap_fingerprint of the robots.txt of the site. Example: b5bb9d8014a0f9b1
	ACAPFingerprint *string `parquet:"acap_fingerprint,optional,plain"`

	// Result of the request for the site's robots.txt, of the latest conclusive capture (R-SITE-1). If none is
	// conclusive: unreachable if one is, else that of the latest. Example: rules
	Outcome RobotsOutcome `parquet:"robots_outcome,dict"`
	// Captures of the site's /robots.txt. Example: 4
	RobotsCaptures int64 `parquet:"robots_captures"`
	// Distinct bodies among them, by body_digest in robots. Example: 2
	DistinctBodies int64 `parquet:"distinct_robots_bodies"`
	// Conventional groups of the robots.txt of the site. Null without one. Example: 3
	REPGroups *int64 `parquet:"rep_groups,optional"`
	// Allow and Disallow lines of these groups that can decide (R-REP-1, R-PAT-1), an empty Disallow included.
	// rep_fields in robots counts every line. Example: 17
	REPRules *int64 `parquet:"rep_rules,optional"`
	// The same host and port with the other of http and https, if the archives have it.
	// Example: http://www.example.co.uk
	OtherSite *string `parquet:"other_scheme_site,optional,plain"`
	// robots_outcome of that site. Example: redirect-unresolved
	OtherOutcome *RobotsOutcome `parquet:"other_scheme_outcome,optional,dict"`

	// ACAP alone and the conventional rules alone decide crawl equally on every path, for any crawler and for each that
	// either names. Null if the robots.txt does not have both, or the comparison exceeds its budget. Example: true
	REPSameForAll *bool `parquet:"acap_rep_same_for_all,optional"`
	// The same, for a crawler that neither names. Example: true
	REPSameForStar *bool `parquet:"acap_rep_same_for_star,optional"`

	// Page captures seen: the denominator of the shares below. Pages in the place of a robots.txt (R-LEX-7) do not
	// count. Example: 240
	Pages int64 `parquet:"pages"`
	// Those read as HTML. Example: 238
	PagesHTML int64 `parquet:"pages_html"`
	// Those read as XML. Example: 2
	PagesXML int64 `parquet:"pages_xml"`
	// Those from a WAT (partial in pages). The denominator of pages_acap_class and pages_pi is pages - pages_partial. A
	// page in both a WAT and its WARC counts twice: scan one of them. Example: 0
	PagesPartial int64 `parquet:"pages_partial"`
	// Page captures with a META that counts as ACAP (R-META-1): in the head, or with --body-metas anywhere. Example: 12
	PagesACAPMeta int64 `parquet:"pages_acap_meta"`
	// Page captures with an ACAP META in the body (R-META-1), whether or not --body-metas lets it count. Example: 0
	PagesACAPBody int64 `parquet:"pages_acap_meta_in_body" since:"2"`
	// Page captures with an ACAP class token. Example: 0
	PagesACAPClass int64 `parquet:"pages_acap_class"`
	// Page captures with a robots processing instruction. Example: 0
	PagesPI int64 `parquet:"pages_pi"`
	// Captures of any kind with an X-Robots-Tag. Example: 5
	PagesXRobotsTag int64 `parquet:"pages_x_robots_tag"`
	// Page captures with a conventional META in the head that addresses crawlers. Example: 131
	PagesConventional int64 `parquet:"pages_conventional_meta"`
	// Page captures with one in the body (R-META-1), whether or not --body-metas lets it count. A page may be among
	// both. Example: 2
	PagesConventionalBody int64 `parquet:"pages_conventional_meta_in_body" since:"2"`
	// Page captures by the normalised content of the robots METAs in their heads: directives in lower case, each once,
	// in a fixed order; (other) beyond the limit on distinct ones. Example: {'index,follow': 120, 'noindex': 11}
	ConventionalByText Counts `parquet:"conventional_meta"`
	// Statements of the robots.txt in force that decide or are recorded, by vocabulary, and under tdmrep those of the
	// tdmrep.json in force. AI preferences are those of aipref, content-signal, tdmrep, rsl and noai. Example:
	// {'aipref': 2, 'rep': 12}
	RobotsVocabularies Counts `parquet:"robots_vocabularies" since:"4"`
	// Page captures with a row in pages and a statement that decides or is recorded, by vocabulary and carrier.
	// Example: {'aipref http-header': 12, 'rep meta': 131}
	PagesVocabularies Counts `parquet:"pages_vocabularies" since:"4"`
	// Rows in conflicts, by kind. Example: {'acap-rep': 1, 'named-any': 4}
	Conflicts Counts `parquet:"conflicts"`

	// Approximate ones among them. Example: 0
	ConflictsApproximate int64 `parquet:"conflicts_approximate"`
	// False if there may be conflicts without a row: a search for conflicts exceeded its budget, or one of the limits
	// of permissions_complete on robots.txt and pages applies. Example: true
	ConflictsComplete bool `parquet:"conflicts_complete"`
	// False if a limit applies: the site or a page names more crawlers or purposes than permissions has rows for; more
	// different robots.txt were captured than are held (pages of the time of the oldest are decided by the next); its
	// robots.txt leads to more files of other hosts than are followed; or the site takes 50 times the work of an
	// ordinary one with as much text: then rows for further crawlers and purposes are missing, and later pages are
	// undetermined and so disallowed (R-DEC-7). Example: true
	PermissionsComplete bool `parquet:"permissions_complete"`
	// Rows in permissions about the site with extent unknown. Example: 0
	ExtentsUnknown int64 `parquet:"extents_unknown"`
	StatusClasses
}

// An Agent is a row of agents: whether one crawler may crawl one site.
type Agent struct {
	// Scheme, host, and port unless it is the default. Example: https://www.example.co.uk
	Site string `parquet:"site,plain" since:"3"`
	Host
	// Crawler that the row is about, in lower case; * is one that nothing names. Every site of the table has a row for
	// *. Example: gptbot
	Agent string `parquet:"agent,dict" since:"3"`
	// Its name as the robots.txt first writes it, in a conventional group if one names it. Null if the robots.txt does
	// not name it. Example: GPTBot
	AgentRaw *string `parquet:"agent_raw,optional,dict" since:"3"`
	// Vocabularies in which the robots.txt names the crawler, or * for the row of *: rep (a conventional group), acap
	// (a record, or a rule that a reference leads to). May be empty for * and for the crawlers of --agents.
	// Example: ['rep']
	NamedIn []string `parquet:"named_in,list,dict" since:"3"`

	// Decision for the usage crawl at the root path, by the whole robots.txt: equal to decision in permissions.
	// Example: disallowed
	RootDecision Decision `parquet:"root_decision,dict" since:"3"`
	// Over how much of the site the crawler may crawl, by the whole robots.txt: equal to extent in permissions, unless
	// one of the two is unknown. Example: none
	CrawlExtent Extent `parquet:"crawl_extent,dict" since:"3"`
	// root_decision by the conventional groups alone. Null without a conventional group. Example: disallowed
	REPRootDecision *Decision `parquet:"rep_root_decision,optional,dict" since:"3"`
	// crawl_extent by the conventional groups alone. Null without a conventional group. Example: none
	REPCrawlExtent *Extent `parquet:"rep_crawl_extent,optional,dict" since:"3"`
	// root_decision by the ACAP rules alone. Null without an ACAP rule that can decide and without a reference.
	// Example: allowed
	ACAPRootDecision *Decision `parquet:"acap_root_decision,optional,dict" since:"3"`
	// crawl_extent by the ACAP rules alone. Null without an ACAP rule that can decide and without a reference.
	// Example: some
	ACAPCrawlExtent *Extent `parquet:"acap_crawl_extent,optional,dict" since:"3"`
	// The crawler may crawl nothing: crawl_extent is none. Null if it is unknown. Example: true
	FullyBlocked *bool `parquet:"fully_blocked,optional" since:"3"`
	// The crawler may crawl everything, perhaps under conditions: crawl_extent is all. Null if it is unknown.
	// Example: false
	FullyAllowed *bool `parquet:"fully_allowed,optional" since:"3"`

	// Rules about crawling that address the crawler: conventional ones of the groups that name it, or of * if none does
	// (R-REP-1), an empty Disallow included, and ACAP rules for it or for any crawler. Example: 1
	Rules int64 `parquet:"rules" since:"3"`
	// First User-agent line of the robots.txt that names the crawler, or * if none does. Null without either.
	// Example: 12
	GroupLine *int32 `parquet:"group_line,optional" since:"3"`
	// Basis of root_decision. Example: rep-robots
	Basis Basis `parquet:"basis,dict" since:"3"`
	// Line of the statement that decides about the root path, the first of several. Null if none decides. Example: 13
	DecidingLine *int32 `parquet:"deciding_line,optional" since:"3"`
	// Its text as written, at most 4096 bytes. Third-party text: null under --no-verbatim. Example: Disallow: /
	DecidingRaw *string `parquet:"deciding_raw,optional,dict" since:"3"`
	// False if crawlers that the robots.txt names have no row: it names more than 256, or takes too much work. The rows
	// of * and of the crawlers of --agents are always there. Example: true
	Complete bool `parquet:"agents_complete" since:"3"`
}

// A Permission is a row of permissions: what an agent may do for a purpose with a site (its root path, and Extent over
// all of it), or with one page of it.
type Permission struct {
	// Whether the row is about the site (its root path, and extent over all paths) or about one page. Example: page
	Scope Scope `parquet:"scope,dict"`
	// Scheme, host, and port unless it is the default. Example: https://www.example.co.uk
	Site string `parquet:"site,plain"`
	Key
	// Crawler that the row is for, in lower case; * is one that nothing names. Example: googlebot
	Agent string `parquet:"agent,dict"`
	// Purpose that the row decides for: a pattern of the site or page without *, one of those that differ only in case.
	// Null: no purpose. Example: news-search
	Purpose *string `parquet:"purpose,optional,dict"`
	// Usage that the row decides. Usages of AI preferences have rows only if the robots.txt, the page or a rule of the
	// site's tdmrep.json that applies to it states a preference about them. Example: index
	Usage Usage `parquet:"usage,dict"`
	// Family of the usage: acap for the sixteen of ACAP, ai for those of AI preferences. Example: acap
	Family Family `parquet:"family,dict" since:"4"`

	// Over how much of the site the usage is allowed; unknown if there are too many classes of paths. Of an AI
	// preference: all or none if it is the same at every path, as if every path could be crawled, else some; null if
	// the robots.txt states none for the crawler. Null in rows about a page. Example: some
	Extent *Extent `parquet:"extent,optional,dict"`
	// The decision, in rows about a site of the root path. For a crawler that can act on elements (R-DEC-14).
	// Example: conditional
	Decision Decision `parquet:"decision,dict"`
	// The decision if crawling were not disallowed (R-DEC-11, R-PREF-3), else equal to decision. Example: allowed
	IfCrawled *Decision `parquet:"decision_if_crawled,optional,dict"`
	// The decision for a crawler that cannot act on elements (R-DEC-14). Null in rows about a site. Example: disallowed
	WithoutElements *Decision `parquet:"decision_without_elements,optional,dict"`
	// Basis of the decision. robots-not-captured: no statement decides, and the archives have no robots.txt of the
	// site; robots_outcome in adoption says why (not-captured or redirect-unresolved). not-robots: no statement
	// decides, and a page stands in its place. Example: acap-robots
	Basis Basis `parquet:"basis,dict"`
	// Ids of the rules that decided, in the order of their use; never empty. Example: ['R-DEC-2', 'R-DEC-5']
	DecidedBy []string `parquet:"decided_by,list,dict"`

	// Qualifiers of a conditional decision, at most 100. Example: [{'name': 'max-length', 'value': '200-chars'}]
	Qualifiers []Qualifier `parquet:"qualifiers,list"`
	// statement_id of the deciding statements, at most the first 100; may be empty. All are in directives; those of
	// sites without ACAP (--permissions all-sites or all) only with --directives all.
	// Example: ['3fdba35f04dc8c462986c992']
	DecidingIDs []string `parquet:"deciding_ids,list,plain"`
	// Carrier of the first of them. Example: robots.txt
	DecidingSource *Source `parquet:"deciding_source,optional,dict"`
	// Its line in a robots.txt. Example: 12
	DecidingLine *int32 `parquet:"deciding_line,optional"`
	// Its byte_offset in a page or among header fields. Example: 512
	DecidingByteOffset *int64 `parquet:"deciding_byte_offset,optional"`
	// Its text as written, at most 4096 bytes. Third-party text: null under --no-verbatim.
	// Example: ACAP-allow-present-snippet: / max-length=200-chars
	DecidingRaw *string `parquet:"deciding_raw,optional,plain"`

	// Profile that decided. Example: 1.1
	Profile Profile `parquet:"profile,dict"`
	// Which usages a rule about other covered (R-DEC-13). Example: broad
	OtherReading OtherReading `parquet:"other_reading,dict"`
}

// A Conflict is a row of conflicts: two statements, or two carriers, that say different things of one usage, agent and
// resource.
type Conflict struct {
	// Scheme, host, and port unless it is the default. Example: https://www.example.co.uk
	Site string `parquet:"site,plain"`
	Key
	// Which two sides differ. Example: acap-rep
	Kind ConflictKind `parquet:"kind,dict"`
	// override if the ACAP specifications foresee the pair, else contradiction. Example: override
	Severity Severity `parquet:"severity,dict"`
	// Crawler for which they differ, in lower case; * is one that nothing names. Example: *
	Agent string `parquet:"agent,dict"`
	// Purpose for which they differ. Null: no purpose. Example: news-search
	Purpose *string `parquet:"purpose,optional,dict"`
	// Usage on which they differ. Example: crawl
	Usage Usage `parquet:"usage,dict"`
	// A shortest URL at which they differ. Example: https://www.example.co.uk/a
	ExampleURL *string `parquet:"example_url,optional,plain"`

	// statement_id of the first side. Null if that side is silent or a default. Example: 3fdba35f04dc8c462986c992
	FirstID *string `parquet:"first_id,optional,plain"`
	// Carrier of the first side. Example: robots.txt
	FirstSource *Source `parquet:"first_source,optional,dict"`
	// Line of the first side in a robots.txt. Example: 12
	FirstLine *int32 `parquet:"first_line,optional"`
	// byte_offset of the first side in a page or among header fields. Example: 512
	FirstByteOffset *int64 `parquet:"first_byte_offset,optional"`
	// First side as written, at most 4096 bytes. Third-party text: null under --no-verbatim.
	// Example: ACAP-disallow-crawl: /a
	FirstRaw *string `parquet:"first_raw,optional,plain"`
	// Sense of the first side. Example: disallow
	FirstSense *Sense `parquet:"first_sense,optional,dict"`
	// Decision of the first side alone, for kinds that compare decisions (acap-rep, acap-rep-drift, element-page, and
	// reading: under the interpretation of the run). Example: disallowed
	FirstDecision *Decision `parquet:"first_decision,optional,dict"`
	// As first_id, of the second side. Example: 8a1c2b7e90d3f4a5b6c7d8e9
	SecondID *string `parquet:"second_id,optional,plain"`
	// As first_source, of the second side. Example: robots.txt
	SecondSource *Source `parquet:"second_source,optional,dict"`
	// As first_line, of the second side. Example: 3
	SecondLine *int32 `parquet:"second_line,optional"`
	// As first_byte_offset, of the second side. Example: 512
	SecondByteOffset *int64 `parquet:"second_byte_offset,optional"`
	// As first_raw, of the second side. Example: Allow: /a
	SecondRaw *string `parquet:"second_raw,optional,plain"`
	// As first_sense, of the second side. Example: allow
	SecondSense *Sense `parquet:"second_sense,optional,dict"`
	// Decision of the second side alone, for kinds that compare decisions (for reading: under the interpretation named
	// there). Example: allowed
	SecondDecision *Decision `parquet:"second_decision,optional,dict"`

	// Interpretation with another decision. Null for other kinds than reading. Example: pilot
	Reading *Reading `parquet:"reading,optional,dict"`
	// Side that decides. Example: first
	Winner Winner `parquet:"winner,dict"`
	// Id of the rule that settles the conflict, or for kind reading of the rule on which the interpretations differ.
	// Example: R-DEC-2
	Rule string `parquet:"rule,dict"`
	// There were too many classes of paths: there may be further differences, or a shorter example. Also true in all
	// rows of a search that ended early, such as after 10000. Example: false
	Approximate bool `parquet:"approximate"`
}
