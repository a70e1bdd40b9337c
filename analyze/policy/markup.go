package policy

// Markup is one piece of a page, or one header field, that may carry policy: what a vocabulary reads a page's
// statements from.
type Markup struct {
	Source      Source
	Offset      int64    // byte offset in the decoded page; index among the header fields
	Name        string   // META name, element name, PI target, header field name
	Value       string   // META content, class token, PI data, header value; entities decoded
	Raw         string   // as written
	Element     *Element // of a class token
	SmartQuotes bool     // typographic quotes were repaired (R-META-2)
	Late        bool     // a PI after text (R-PI-1)
	InBody      bool     // a META that stands in the body (R-META-1)
}
