package table

// An Input is a row of inputs: one input file and what became of it. Numbers are of records unless they say otherwise.
type Input struct {
	WARCFilename string  `parquet:"warc_filename,plain" doc:"Archive file: the path from crawl-data/ on if it has that, else the input as given." example:"crawl-data/CC-MAIN-2018-34/segments/1534221215284.54/robotstxt/CC-MAIN-20180819012213-20180819032213-00000.warc.gz" since:"1"`
	Complete     bool    `parquet:"complete" doc:"The input was read to its end, or to the last of the records that were asked for, despite any defects. False: the other tables hold only a part of it." example:"true" since:"1"`
	RecordsAsked *int64  `parquet:"records_asked,optional" doc:"Records that were asked for by their coordinates; nothing else of the input was read. Null: all of the input." example:"12" since:"1"`
	Error        *string `parquet:"error,optional,plain" doc:"What was unreadable, in one sentence with the offset. Null: nothing." example:"the file ends inside a gzip member at offset 1048576" since:"1"`
	Bytes        *int64  `parquet:"bytes,optional" doc:"Bytes read from the input, compressed." example:"5021144" since:"1"`
	Digest       *string `parquet:"digest,optional,plain" doc:"SHA-256 of the bytes read, in lower-case hexadecimal. Null if the input was not read from its first byte to its last." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" since:"1"`
	Members      int64   `parquet:"members" doc:"Compressed members or frames; 0 in an uncompressed file." example:"3129" since:"1"`

	Records           int64 `parquet:"records" doc:"Records of any type." example:"3129" since:"1"`
	RecordsWarcinfo   int64 `parquet:"records_warcinfo" doc:"Records of type warcinfo; version blocks of an ARC." example:"1" since:"1"`
	RecordsResponse   int64 `parquet:"records_response" doc:"Records of type response; every other record of an ARC." example:"1042" since:"1"`
	RecordsRequest    int64 `parquet:"records_request" doc:"Records of type request." example:"1042" since:"1"`
	RecordsResource   int64 `parquet:"records_resource" doc:"Records of type resource." example:"0" since:"1"`
	RecordsMetadata   int64 `parquet:"records_metadata" doc:"Records of type metadata." example:"1042" since:"1"`
	RecordsRevisit    int64 `parquet:"records_revisit" doc:"Records of type revisit. They have no body, so they give no directives." example:"2" since:"1"`
	RecordsConversion int64 `parquet:"records_conversion" doc:"Records of type conversion." example:"0" since:"1"`
	RecordsOther      int64 `parquet:"records_other" doc:"Records of any other type, continuation included." example:"0" since:"1"`

	StatusClasses
	HTML            int64  `parquet:"html" doc:"Captures that were read as HTML (R-PARSE-1)." example:"987" since:"1"`
	XML             int64  `parquet:"xml" doc:"Captures that were read as XML (R-PARSE-1)." example:"12" since:"1"`
	Robots          int64  `parquet:"robots" doc:"Captures of /robots.txt, failures and redirects included." example:"43" since:"1"`
	PolicyFiles     int64  `parquet:"policy_files" doc:"Captures of other files that a policy may point to (R-REF-1, R-SITE-2)." example:"1" since:"1"`
	PagesKept       int64  `parquet:"pages_kept" doc:"Page captures with a row in pages. A page in place of a robots.txt (R-LEX-7) also has one, and is counted under robots." example:"77" since:"1"`
	CapturesPartial int64  `parquet:"captures_partial" doc:"Captures without a body, as in a WAT: METAs by name and content, and the header. If not 0, class tokens, processing instructions and robots.txt bodies of this input are missing." example:"0" since:"1"`
	Skipped         Counts `parquet:"skipped" doc:"Skipped records, by reason." example:"{'media-type': 120, 'revisit': 2}" since:"1"`

	Truncated         int64  `parquet:"truncated_records" doc:"Captures with a cut payload (WARC-Truncated, or the end of the file)." example:"3" since:"1"`
	Defects           Counts `parquet:"defects" doc:"Defects of the archive, of HTTP and of pages, by code." example:"{'content-length': 1}" since:"1"`
	FirstDefectOffset *int64 `parquet:"first_defect_offset,optional" doc:"Offset in bytes in the input of the first defect of the archive." example:"73310" since:"1"`
}

// StatusClasses counts HTTP captures by the class of their status.
type StatusClasses struct {
	Captures      int64 `parquet:"captures" doc:"HTTP captures: responses, resources and revisits." example:"1044" since:"1"`
	Captures2xx   int64 `parquet:"captures_2xx" doc:"Captures with a status from 200 to 299." example:"998" since:"1"`
	Captures3xx   int64 `parquet:"captures_3xx" doc:"Captures with a status from 300 to 399." example:"21" since:"1"`
	Captures4xx   int64 `parquet:"captures_4xx" doc:"Captures with a status from 400 to 499." example:"22" since:"1"`
	Captures5xx   int64 `parquet:"captures_5xx" doc:"Captures with a status from 500 to 599." example:"1" since:"1"`
	CapturesOther int64 `parquet:"captures_other" doc:"Captures with any other status." example:"0" since:"1"`
	CapturesNone  int64 `parquet:"captures_none" doc:"Captures in which no status could be read." example:"2" since:"1"`
}

// A Robots is a row of robots: one capture of /robots.txt. Where a redirect was followed inside the corpus, the columns from
// Outcome on tell of the capture that answered (R-SITE-2), and those of the key of the redirect.
type Robots struct {
	Key
	Site       string     `parquet:"site,plain" doc:"Site that was asked: scheme, host, and port unless it is the default." example:"https://www.example.co.uk" since:"1"`
	RecordType RecordType `parquet:"record_type,dict" doc:"Type of the record with the capture; metadata is of a WAT, without a body." example:"response" since:"1"`

	Outcome              RobotsOutcome `parquet:"robots_outcome,dict" doc:"Result of the request. rules: 2xx with at least one permission or prohibition that can decide (an empty Disallow is one). no-rules: 2xx without any, such as an empty file, or one with all rules invalid or outside of groups and records. redirect-unresolved: also a revisit, a 304 or a capture in a WAT, if the archives lack the body. not-captured does not occur here." example:"rules" since:"1"`
	Selected             bool          `parquet:"selected" doc:"Rows about the site use this capture: the latest conclusive answer (R-SITE-1)." example:"true" since:"1"`
	AnsweredURL          *string       `parquet:"answered_url,optional,plain" doc:"URL of the capture that answered after redirects (R-SITE-2). Null without redirects." example:"https://www.example.co.uk/robots.txt" since:"1"`
	AnsweredWARCFilename *string       `parquet:"answered_warc_filename,optional,dict" doc:"warc_filename of the capture that answered after redirects." example:"robots-00001.warc.gz" since:"1"`
	AnsweredRecordOffset *int64        `parquet:"answered_warc_record_offset,optional" doc:"warc_record_offset of the capture that answered after redirects." example:"5120" since:"1"`

	BodyBytes   *int64  `parquet:"body_bytes,optional" doc:"Bytes of the whole decoded body, also of a page in its place. Null without a body." example:"1318" since:"1"`
	BodyDigest  *string `parquet:"body_digest,optional,plain" doc:"SHA-256 of the kept part of the decoded body, in lower-case hexadecimal." example:"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae" since:"1"`
	Lines       *int64  `parquet:"lines,optional" doc:"Lines read (R-LEX-1, R-LEX-8)." example:"41" since:"1"`
	ACAPVersion *string `parquet:"acap_version,optional,dict" doc:"Version of the marker, as written (R-LEX-3). Null without a marker." example:"1.0" since:"1"`
	ACAPFields  *int64  `parquet:"acap_fields,optional" doc:"Lines with an ACAP field, known or not." example:"12" since:"1"`
	ACAPRecords *int64  `parquet:"acap_records,optional" doc:"ACAP records (R-REC-2)." example:"2" since:"1"`
	REPFields   *int64  `parquet:"rep_fields,optional" doc:"Lines with user-agent, allow or disallow." example:"18" since:"1"`
	REPGroups   *int64  `parquet:"rep_groups,optional" doc:"Conventional groups (R-REP-1)." example:"3" since:"1"`
	OtherFields Counts  `parquet:"other_fields" doc:"Lines with other fields, by name in lower case: sitemap, crawl-delay, content-signal, content-usage, license and others." example:"{'crawl-delay': 1, 'sitemap': 2}" since:"1"`

	Defects         []string `parquet:"defects,list,dict" doc:"Defects of the capture, of the capture that answered, of the file and of its statements, each once, sorted." example:"['conventional-in-record', 'definition-late']" since:"1"`
	ACAPFingerprint *string  `parquet:"acap_fingerprint,optional,plain" doc:"Hash of the normalised ACAP statements: equal files have equal hashes. Null if no statement decides anything." example:"b5bb9d8014a0f9b1" since:"1"`
}

// A Page is a row of pages: one capture of a page that keeps a row.
type Page struct {
	Key
	Site string `parquet:"site,plain" doc:"Site of the page: scheme, host, and port unless it is the default." example:"https://www.example.co.uk" since:"1"`

	Partial          bool     `parquet:"partial" doc:"The capture is from a WAT: METAs by name and content (those of the body included) and X-Robots-Tag; class tokens, processing instructions and typographic quotes are missing. Filter by it where absence counts." example:"false" since:"1"`
	ParsedAs         *Parser  `parquet:"parsed_as,optional,dict" doc:"How the page was parsed (R-PARSE-1). Null without markup, such as a PDF with an X-Robots-Tag." example:"html" since:"1"`
	Charset          *string  `parquet:"charset,optional,dict" doc:"Character encoding that the page was read in." example:"utf-8" since:"1"`
	ACAPVersion      *string  `parquet:"acap_version,optional,dict" doc:"ACAP version that the page states by META, as written (R-META-4)." example:"1.1" since:"1"`
	ACAPMeta         int64    `parquet:"acap_meta" doc:"METAs that count as ACAP (R-META-1). Those in the body are acap_meta_in_body." example:"1" since:"1"`
	ACAPBody         int64    `parquet:"acap_meta_in_body" doc:"ACAP METAs in the body (R-META-1). They are ignored; with --body-metas they also count in acap_meta. 0 for a page in a WAT, which does not say where a META stands." example:"0" since:"2"`
	ACAPText         int64    `parquet:"acap_text" doc:"METAs whose content begins with the word ACAP and is prose (R-META-1)." example:"0" since:"1"`
	ACAPClass        int64    `parquet:"acap_class" doc:"ACAP class tokens (R-CLASS-1)." example:"3" since:"1"`
	PI               int64    `parquet:"pi" doc:"robots processing instructions, legal or not (R-PI-1)." example:"0" since:"1"`
	XRobotsTag       int64    `parquet:"x_robots_tag" doc:"X-Robots-Tag header fields (R-HDR-1)." example:"1" since:"1"`
	ConventionalMeta int64    `parquet:"conventional_meta" doc:"Conventional METAs that address crawlers. Those in the body are conventional_meta_in_body." example:"1" since:"1"`
	ConventionalBody int64    `parquet:"conventional_meta_in_body" doc:"Conventional METAs for crawlers in the body (R-META-1). They are ignored, and missing in conventional_meta and conventional_directives; with --body-metas they count in both. 0 for a page in a WAT." example:"0" since:"2"`
	Conventional     []string `parquet:"conventional_directives,list,dict" doc:"Conventional directives of METAs, header fields and processing instructions, normalised: lower case, a named agent before a colon, each once, sorted." example:"['bingbot:noarchive', 'noindex']" since:"1"`
	Defects          []string `parquet:"defects,list,dict" doc:"Defects of the capture, of the page and of its statements, each once, sorted." example:"['smart-quotes']" since:"1"`
}

// A Directive is a row of directives: one statement, or a field that is only recorded.
type Directive struct {
	Key
	Site string `parquet:"site,plain" doc:"Site that the statement is about: that of the capture, or one whose robots.txt redirects or refers to it (R-SITE-2, R-REF-1). The statement has a row and a statement_id for each site." example:"https://www.example.co.uk" since:"1"`

	StatementID string      `parquet:"statement_id,plain" doc:"Id of the statement, for deciding_ids of permissions, first_id and second_id of conflicts. The same statement in the same record has the same id for the same site in every run." example:"3fdba35f04dc8c462986c992" since:"1"`
	Source      Source      `parquet:"source,dict" doc:"Carrier of the statement." example:"robots.txt" since:"1"`
	Vocabulary  Vocabulary  `parquet:"vocabulary,dict" doc:"Language of the statement." example:"acap" since:"1"`
	Line        *int32      `parquet:"line,optional" doc:"Line in a robots.txt, from 1. Null elsewhere." example:"12" since:"1"`
	ByteOffset  *int64      `parquet:"byte_offset,optional" doc:"Byte offset of the tag or processing instruction in the decoded page; index of the header field, from 0. Null in a robots.txt and for a META of a WAT." example:"512" since:"1"`
	Part        int32       `parquet:"part" doc:"Number of the statement, from 1, among several that were written as one." example:"1" since:"1"`
	ElementName *string     `parquet:"element_name,optional,dict" doc:"Name of the element with the class token, in lower case (R-CLASS-1)." example:"div" since:"1"`
	ElementID   *string     `parquet:"element_id,optional,plain" doc:"The id attribute of that element." example:"main-story" since:"1"`
	Field       string      `parquet:"field,dict" doc:"Name of the field or directive, in lower case." example:"acap-disallow-index" since:"1"`
	Agents      []string    `parquet:"agents,list,dict" doc:"Crawlers that the statement is for, as written, at most the first 1000; * is any." example:"['*']" since:"1"`
	Purposes    []string    `parquet:"purposes,list,dict" doc:"Purpose patterns, as written, at most the first 1000. Empty: any purpose." example:"['news-*']" since:"1"`
	Sense       *Sense      `parquet:"sense,optional,dict" doc:"allow or disallow. Null for a statement that is only recorded." example:"disallow" since:"1"`
	Usage       *Usage      `parquet:"usage,optional,dict" doc:"Usage that the statement is about. Null without a usage." example:"index" since:"1"`
	Resource    *string     `parquet:"resource,optional,plain" doc:"Resource as written: a pattern or the name of a resource set. Null for a statement about its page, and if none is written." example:"/archive/" since:"1"`
	Qualifiers  []Qualifier `parquet:"qualifiers,list" doc:"Restrictions on the permission, definitions resolved, values as written, at most 100." example:"[{'name': 'time-limit', 'value': '30-days'}]" since:"1"`
	Status      Status      `parquet:"status,dict" doc:"How the statement was read. Only valid and repaired ones decide." example:"valid" since:"1"`
	Defects     []string    `parquet:"defects,list,dict" doc:"Defects of the statement, each once, sorted." example:"['definition-late']" since:"1"`
	Raw         *string     `parquet:"raw,optional,plain" doc:"The line, attribute, token, processing instruction or header field as written, at most 4096 bytes. Null for a META of a WAT. Third-party text: null under --no-verbatim." example:"ACAP-disallow-index: /archive/" since:"1"`
}

// An Adoption is a row of adoption: one site that was seen, with or without a robots.txt.
type Adoption struct {
	Site string `parquet:"site,plain" doc:"Site: scheme, host, and port unless it is the default." example:"https://www.example.co.uk" since:"1"`
	Host

	Class           AdoptionClass `parquet:"adoption_class,dict" doc:"The highest class that applies, by the site's robots.txt and all its pages. If the rules cannot be compared within the budget, the class is crawl-differs and adoption_class_exact is false." example:"mirrors-rep" since:"1"`
	ClassExact      bool          `parquet:"adoption_class_exact" doc:"False if a comparison exceeded its budget: ACAP and the conventional rules may be the same." example:"true" since:"1"`
	ACAPVersions    []string      `parquet:"acap_versions,list,dict" doc:"ACAP versions in the site's robots.txt and pages, as written, each once, sorted; of pages the first 1000 by time. If there are more, permissions_complete is false." example:"['1.0']" since:"1"`
	Features        []string      `parquet:"features,list,dict" doc:"Features of ACAP that the site uses, each once, sorted." example:"['crawler-record', 'version-marker']" since:"1"`
	AgentsNamed     []string      `parquet:"agents_named,list,dict" doc:"Crawlers that the site names in ACAP or conventionally, without *, in lower case, each once, sorted; of pages the first 10000 by time. If there are more, permissions_complete is false." example:"['googlebot', 'slurp']" since:"1"`
	ACAPFingerprint *string       `parquet:"acap_fingerprint,optional,plain" doc:"acap_fingerprint of the robots.txt of the site." example:"b5bb9d8014a0f9b1" since:"1"`

	Outcome        RobotsOutcome  `parquet:"robots_outcome,dict" doc:"Result of the request for the site's robots.txt, of the latest conclusive capture (R-SITE-1). If none is conclusive: unreachable if one is, else that of the latest." example:"rules" since:"1"`
	RobotsCaptures int64          `parquet:"robots_captures" doc:"Captures of the site's /robots.txt." example:"4" since:"1"`
	DistinctBodies int64          `parquet:"distinct_robots_bodies" doc:"Distinct bodies among them, by body_digest in robots." example:"2" since:"1"`
	REPGroups      *int64         `parquet:"rep_groups,optional" doc:"Conventional groups of the robots.txt of the site. Null without one." example:"3" since:"1"`
	REPRules       *int64         `parquet:"rep_rules,optional" doc:"Allow and Disallow lines of these groups that can decide (R-REP-1, R-PAT-1), an empty Disallow included. rep_fields in robots counts every line." example:"17" since:"1"`
	OtherSite      *string        `parquet:"other_scheme_site,optional,plain" doc:"The same host and port with the other of http and https, if the archives have it." example:"http://www.example.co.uk" since:"1"`
	OtherOutcome   *RobotsOutcome `parquet:"other_scheme_outcome,optional,dict" doc:"robots_outcome of that site." example:"redirect-unresolved" since:"1"`

	REPSameForAll  *bool `parquet:"acap_rep_same_for_all,optional" doc:"ACAP alone and the conventional rules alone decide crawl equally on every path, for any crawler and for each that either names. Null if the robots.txt does not have both, or the comparison exceeds its budget." example:"true" since:"1"`
	REPSameForStar *bool `parquet:"acap_rep_same_for_star,optional" doc:"The same, for a crawler that neither names." example:"true" since:"1"`

	Pages                 int64  `parquet:"pages" doc:"Page captures seen: the denominator of the shares below. Pages in the place of a robots.txt (R-LEX-7) do not count." example:"240" since:"1"`
	PagesHTML             int64  `parquet:"pages_html" doc:"Those read as HTML." example:"238" since:"1"`
	PagesXML              int64  `parquet:"pages_xml" doc:"Those read as XML." example:"2" since:"1"`
	PagesPartial          int64  `parquet:"pages_partial" doc:"Those from a WAT (partial in pages). The denominator of pages_acap_class and pages_pi is pages - pages_partial. A page in both a WAT and its WARC counts twice: scan one of them." example:"0" since:"1"`
	PagesACAPMeta         int64  `parquet:"pages_acap_meta" doc:"Page captures with a META that counts as ACAP (R-META-1): in the head, or with --body-metas anywhere." example:"12" since:"1"`
	PagesACAPBody         int64  `parquet:"pages_acap_meta_in_body" doc:"Page captures with an ACAP META in the body (R-META-1), whether or not --body-metas lets it count." example:"0" since:"2"`
	PagesACAPClass        int64  `parquet:"pages_acap_class" doc:"Page captures with an ACAP class token." example:"0" since:"1"`
	PagesPI               int64  `parquet:"pages_pi" doc:"Page captures with a robots processing instruction." example:"0" since:"1"`
	PagesXRobotsTag       int64  `parquet:"pages_x_robots_tag" doc:"Captures of any kind with an X-Robots-Tag." example:"5" since:"1"`
	PagesConventional     int64  `parquet:"pages_conventional_meta" doc:"Page captures with a conventional META in the head that addresses crawlers." example:"131" since:"1"`
	PagesConventionalBody int64  `parquet:"pages_conventional_meta_in_body" doc:"Page captures with one in the body (R-META-1), whether or not --body-metas lets it count. A page may be among both." example:"2" since:"2"`
	ConventionalByText    Counts `parquet:"conventional_meta" doc:"Page captures by the normalised content of the robots METAs in their heads: directives in lower case, each once, in a fixed order; (other) beyond the limit on distinct ones." example:"{'index,follow': 120, 'noindex': 11}" since:"1"`
	Conflicts             Counts `parquet:"conflicts" doc:"Rows in conflicts, by kind." example:"{'acap-rep': 1, 'named-any': 4}" since:"1"`

	ConflictsApproximate int64 `parquet:"conflicts_approximate" doc:"Approximate ones among them." example:"0" since:"1"`
	ConflictsComplete    bool  `parquet:"conflicts_complete" doc:"False if there may be conflicts without a row: a search for conflicts exceeded its budget, or one of the limits of permissions_complete on robots.txt and pages applies." example:"true" since:"1"`
	PermissionsComplete  bool  `parquet:"permissions_complete" doc:"False if a limit applies: the site or a page names more crawlers or purposes than permissions has rows for; more different robots.txt were captured than are held (pages of the time of the oldest are decided by the next); its robots.txt leads to more files of other hosts than are followed; or the site takes 50 times the work of an ordinary one with as much text: then rows for further crawlers and purposes are missing, and later pages are undetermined and so disallowed (R-DEC-7)." example:"true" since:"1"`
	ExtentsUnknown       int64 `parquet:"extents_unknown" doc:"Rows in permissions about the site with extent unknown." example:"0" since:"1"`
	StatusClasses
}

// An Agent is a row of agents: whether one crawler may crawl one site.
type Agent struct {
	Site string `parquet:"site,plain" doc:"Site: scheme, host, and port unless it is the default." example:"https://www.example.co.uk" since:"3"`
	Host
	Agent    string   `parquet:"agent,dict" doc:"Crawler that the row is about, in lower case; * is one that nothing names. Every site of the table has a row for *." example:"gptbot" since:"3"`
	AgentRaw *string  `parquet:"agent_raw,optional,dict" doc:"Its name as the robots.txt first writes it, in a conventional group if one names it. Null if the robots.txt does not name it." example:"GPTBot" since:"3"`
	NamedIn  []string `parquet:"named_in,list,dict" doc:"Vocabularies in which the robots.txt names the crawler, or * for the row of *: rep (a conventional group), acap (a record, or a rule that a reference leads to). May be empty for * and for the crawlers of --agents." example:"['rep']" since:"3"`

	RootDecision     Decision  `parquet:"root_decision,dict" doc:"Decision for the usage crawl at the root path, by the whole robots.txt: equal to decision in permissions." example:"disallowed" since:"3"`
	CrawlExtent      Extent    `parquet:"crawl_extent,dict" doc:"Over how much of the site the crawler may crawl, by the whole robots.txt: equal to extent in permissions, unless one of the two is unknown." example:"none" since:"3"`
	REPRootDecision  *Decision `parquet:"rep_root_decision,optional,dict" doc:"root_decision by the conventional groups alone. Null without a conventional group." example:"disallowed" since:"3"`
	REPCrawlExtent   *Extent   `parquet:"rep_crawl_extent,optional,dict" doc:"crawl_extent by the conventional groups alone. Null without a conventional group." example:"none" since:"3"`
	ACAPRootDecision *Decision `parquet:"acap_root_decision,optional,dict" doc:"root_decision by the ACAP rules alone. Null without an ACAP rule that can decide and without a reference." example:"allowed" since:"3"`
	ACAPCrawlExtent  *Extent   `parquet:"acap_crawl_extent,optional,dict" doc:"crawl_extent by the ACAP rules alone. Null without an ACAP rule that can decide and without a reference." example:"some" since:"3"`
	FullyBlocked     *bool     `parquet:"fully_blocked,optional" doc:"The crawler may crawl nothing: crawl_extent is none. Null if it is unknown." example:"true" since:"3"`
	FullyAllowed     *bool     `parquet:"fully_allowed,optional" doc:"The crawler may crawl everything, perhaps under conditions: crawl_extent is all. Null if it is unknown." example:"false" since:"3"`

	Rules        int64   `parquet:"rules" doc:"Rules about crawling that address the crawler: conventional ones of the groups that name it, or of * if none does (R-REP-1), an empty Disallow included, and ACAP rules for it or for any crawler." example:"1" since:"3"`
	GroupLine    *int32  `parquet:"group_line,optional" doc:"First User-agent line of the robots.txt that names the crawler, or * if none does. Null without either." example:"12" since:"3"`
	Basis        Basis   `parquet:"basis,dict" doc:"Basis of root_decision." example:"rep-robots" since:"3"`
	DecidingLine *int32  `parquet:"deciding_line,optional" doc:"Line of the statement that decides about the root path, the first of several. Null if none decides." example:"13" since:"3"`
	DecidingRaw  *string `parquet:"deciding_raw,optional,dict" doc:"Its text as written, at most 4096 bytes. Third-party text: null under --no-verbatim." example:"Disallow: /" since:"3"`
	Complete     bool    `parquet:"agents_complete" doc:"False if crawlers that the robots.txt names have no row: it names more than 256, or takes too much work. The rows of * and of the crawlers of --agents are always there." example:"true" since:"3"`
}

// A Permission is a row of permissions: what an agent may do for a purpose with a site (its root path, and Extent over all of
// it), or with one page of it.
type Permission struct {
	Scope Scope  `parquet:"scope,dict" doc:"Whether the row is about the site (its root path, and extent over all paths) or about one page." example:"page" since:"1"`
	Site  string `parquet:"site,plain" doc:"Site: scheme, host, and port unless it is the default." example:"https://www.example.co.uk" since:"1"`
	Key
	Agent   string  `parquet:"agent,dict" doc:"Crawler that the row decides for, in lower case; * is one that nothing names." example:"googlebot" since:"1"`
	Purpose *string `parquet:"purpose,optional,dict" doc:"Purpose that the row decides for: a pattern of the site or page without *, one of those that differ only in case. Null: no purpose." example:"news-search" since:"1"`
	Usage   Usage   `parquet:"usage,dict" doc:"Usage that the row decides." example:"index" since:"1"`

	Extent          *Extent   `parquet:"extent,optional,dict" doc:"Over how much of the site the usage is allowed; unknown if there are too many classes of paths. Null in rows about a page." example:"some" since:"1"`
	Decision        Decision  `parquet:"decision,dict" doc:"The decision, in rows about a site of the root path. For a crawler that can act on elements (R-DEC-14)." example:"conditional" since:"1"`
	IfCrawled       *Decision `parquet:"decision_if_crawled,optional,dict" doc:"The decision if crawling were not disallowed (R-DEC-11), else equal to decision." example:"allowed" since:"1"`
	WithoutElements *Decision `parquet:"decision_without_elements,optional,dict" doc:"The decision for a crawler that cannot act on elements (R-DEC-14). Null in rows about a site." example:"disallowed" since:"1"`
	Basis           Basis     `parquet:"basis,dict" doc:"Basis of the decision. robots-not-captured: no statement decides, and the archives have no robots.txt of the site; robots_outcome in adoption says why (not-captured or redirect-unresolved). not-robots: no statement decides, and a page stands in its place." example:"acap-robots" since:"1"`
	DecidedBy       []string  `parquet:"decided_by,list,dict" doc:"Ids of the rules that decided, in the order of their use; never empty." example:"['R-DEC-2', 'R-DEC-5']" since:"1"`

	Qualifiers         []Qualifier `parquet:"qualifiers,list" doc:"Qualifiers of a conditional decision, at most 100." example:"[{'name': 'max-length', 'value': '200-chars'}]" since:"1"`
	DecidingIDs        []string    `parquet:"deciding_ids,list,plain" doc:"statement_id of the deciding statements, at most the first 100; may be empty. All are in directives; those of sites without ACAP (--permissions all-sites or all) only with --directives all." example:"['3fdba35f04dc8c462986c992']" since:"1"`
	DecidingSource     *Source     `parquet:"deciding_source,optional,dict" doc:"Carrier of the first of them." example:"robots.txt" since:"1"`
	DecidingLine       *int32      `parquet:"deciding_line,optional" doc:"Its line in a robots.txt." example:"12" since:"1"`
	DecidingByteOffset *int64      `parquet:"deciding_byte_offset,optional" doc:"Its byte_offset in a page or among header fields." example:"512" since:"1"`
	DecidingRaw        *string     `parquet:"deciding_raw,optional,plain" doc:"Its text as written, at most 4096 bytes. Third-party text: null under --no-verbatim." example:"ACAP-allow-present-snippet: / max-length=200-chars" since:"1"`

	Profile      Profile      `parquet:"profile,dict" doc:"Profile that decided." example:"1.1" since:"1"`
	OtherReading OtherReading `parquet:"other_reading,dict" doc:"Which usages a rule about other covered (R-DEC-13)." example:"broad" since:"1"`
}

// A Conflict is a row of conflicts: two statements, or two carriers, that say different things of one usage, agent and resource.
type Conflict struct {
	Site string `parquet:"site,plain" doc:"Site: scheme, host, and port unless it is the default." example:"https://www.example.co.uk" since:"1"`
	Key
	Kind       ConflictKind `parquet:"kind,dict" doc:"Which two sides differ." example:"acap-rep" since:"1"`
	Severity   Severity     `parquet:"severity,dict" doc:"override if the ACAP specifications foresee the pair, else contradiction." example:"override" since:"1"`
	Agent      string       `parquet:"agent,dict" doc:"Crawler for which they differ, in lower case; * is one that nothing names." example:"*" since:"1"`
	Purpose    *string      `parquet:"purpose,optional,dict" doc:"Purpose for which they differ. Null: no purpose." example:"news-search" since:"1"`
	Usage      Usage        `parquet:"usage,dict" doc:"Usage on which they differ." example:"crawl" since:"1"`
	ExampleURL *string      `parquet:"example_url,optional,plain" doc:"A shortest URL at which they differ." example:"https://www.example.co.uk/a" since:"1"`

	FirstID          *string   `parquet:"first_id,optional,plain" doc:"statement_id of the first side. Null if that side is silent or a default." example:"3fdba35f04dc8c462986c992" since:"1"`
	FirstSource      *Source   `parquet:"first_source,optional,dict" doc:"Carrier of the first side." example:"robots.txt" since:"1"`
	FirstLine        *int32    `parquet:"first_line,optional" doc:"Line of the first side in a robots.txt." example:"12" since:"1"`
	FirstByteOffset  *int64    `parquet:"first_byte_offset,optional" doc:"byte_offset of the first side in a page or among header fields." example:"512" since:"1"`
	FirstRaw         *string   `parquet:"first_raw,optional,plain" doc:"First side as written, at most 4096 bytes. Third-party text: null under --no-verbatim." example:"ACAP-disallow-crawl: /a" since:"1"`
	FirstSense       *Sense    `parquet:"first_sense,optional,dict" doc:"Sense of the first side." example:"disallow" since:"1"`
	FirstDecision    *Decision `parquet:"first_decision,optional,dict" doc:"Decision of the first side alone, for kinds that compare decisions (acap-rep, acap-rep-drift, element-page, and reading: under the interpretation of the run)." example:"disallowed" since:"1"`
	SecondID         *string   `parquet:"second_id,optional,plain" doc:"As first_id, of the second side." example:"8a1c2b7e90d3f4a5b6c7d8e9" since:"1"`
	SecondSource     *Source   `parquet:"second_source,optional,dict" doc:"As first_source, of the second side." example:"robots.txt" since:"1"`
	SecondLine       *int32    `parquet:"second_line,optional" doc:"As first_line, of the second side." example:"3" since:"1"`
	SecondByteOffset *int64    `parquet:"second_byte_offset,optional" doc:"As first_byte_offset, of the second side." example:"512" since:"1"`
	SecondRaw        *string   `parquet:"second_raw,optional,plain" doc:"As first_raw, of the second side." example:"Allow: /a" since:"1"`
	SecondSense      *Sense    `parquet:"second_sense,optional,dict" doc:"As first_sense, of the second side." example:"allow" since:"1"`
	SecondDecision   *Decision `parquet:"second_decision,optional,dict" doc:"Decision of the second side alone, for kinds that compare decisions (for reading: under the interpretation named there)." example:"allowed" since:"1"`

	Reading     *Reading `parquet:"reading,optional,dict" doc:"Interpretation with another decision. Null for other kinds than reading." example:"pilot" since:"1"`
	Winner      Winner   `parquet:"winner,dict" doc:"Side that decides." example:"first" since:"1"`
	Rule        string   `parquet:"rule,dict" doc:"Id of the rule that settles the conflict, or for kind reading of the rule on which the interpretations differ." example:"R-DEC-2" since:"1"`
	Approximate bool     `parquet:"approximate" doc:"There were too many classes of paths: there may be further differences, or a shorter example. Also true in all rows of a search that ended early, such as after 10000." example:"false" since:"1"`
}
