package markup

import (
	"bytes"
)

// A phase is the scanner's progress in a document: the insertion modes of the HTML standard that decide which METAs are
// in the head.
type phase uint8

const (
	beforeHead phase = iota
	inHead
	afterHead // after </head>: head elements still belong to the head
	inBody
	inFrameset
)

// A context is an element that changes how its content is read.
type context uint8

const (
	inTemplate       context = iota // no content but head elements yet
	inTemplateBody                  // a template with other content
	inTemplateCols                  // a template that began with a col: the reference ignores everything else
	inForeign                       // svg, math: no raw text, CDATA sections
	inForeignDesc                   // integration points, whose content is HTML: desc,
	inForeignTitle                  // title,
	inForeignObject                 // foreignObject,
	inForeignMathTxt                // and those of MathML
)

func (c context) template() bool { return c <= inTemplateCols }

// maxContexts limits the nesting of templates and foreign elements. Deeper elements are read as if they were not
// nested. The reference accepts no document deeper than 512 elements.
const maxContexts = 512

// htmlScanner finds raw directives in an HTML document in one pass, in constant memory. It finds the METAs in the head
// and in the body (R-META-1) of the tree that golang.org/x/net/html builds with scripting on. There is one known
// difference: inside a template, foreign content (svg, math) follows its own nesting.
//
// Class tokens, PIs and METAs of the body come from tags and comments outside of raw text and templates. The scanner
// keeps tags that a tree would drop, such as a td outside of a table, because the author wrote a statement.
//
// Most bodies are not scanned, because hints exclude findings.
type htmlScanner struct {
	src      []byte
	found    receiver
	phase    phase
	body     bool // scan the body, too: for class tokens, PIs, METAs
	contexts []context
	inside   int // templates among contexts
	foreign  int // other contexts
	tables   int // open ones
	others   int // open elements of elBreakout
	end      int // end of the part that was read
	tag      tag
}

// scan reads the document in src.
func (s *htmlScanner) scan(src []byte, found receiver) {
	*s = htmlScanner{src: src, found: found, contexts: s.contexts[:0]}
	hints := findHints(src)
	s.body = hints.classToken || hints.pi
	i := 0
	if bytes.HasPrefix(src, utf8BOM) {
		i = len(utf8BOM)
	}
	for ; i < len(src); s.end = i {
		if s.phase >= inBody && !s.body {
			if s.phase == inFrameset || hints.lastMETA < i || !mayHoldMETA(src, i) {
				return
			}
			s.body = true
		}
		lt := nextMarkup(src, i)
		if s.phase < inBody && s.inside == 0 && lt > i && !isBlank(src[i:lt]) {
			s.phase = inBody
			continue
		}
		if lt == len(src) {
			s.end = lt
			return
		}
		switch c := src[lt+1]; {
		case c == '!':
			i = s.declaration(lt)
		case c == '?':
			i = untilAngle(src, lt+1)
			if s.inside == 0 {
				s.found.pi(src, lt, i, false)
			}
		case c == '/':
			i = s.endTag(lt)
		default:
			if !s.tag.read(src, lt, lt+1, false) {
				s.end = len(src)
				return
			}
			i = s.tag.end
			if raw := s.startTag(); raw != "" {
				i = rawTextEnd(src, i, raw)
			}
		}
	}
}

// nextMarkup returns the offset of the next '<' from i on that begins a tag, a comment or a declaration, or len(src).
func nextMarkup(src []byte, i int) int {
	for {
		n := bytes.IndexByte(src[i:], '<')
		if n < 0 || i+n+1 >= len(src) {
			return len(src)
		}
		i += n
		if c := src[i+1]; isLetter(c) || c == '/' || c == '!' || c == '?' {
			return i
		}
		i++
	}
}

// untilAngle returns the offset after the next '>' from i on.
func untilAngle(src []byte, i int) int {
	n := bytes.IndexByte(src[i:], '>')
	if n < 0 {
		return len(src)
	}
	return i + n + 1
}

// declaration reads a comment, a DOCTYPE, or in foreign content a CDATA section, and returns its end.
func (s *htmlScanner) declaration(lt int) int {
	rest := s.src[lt:]
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return commentEnd(s.src, lt+len("<!--"))
	case s.top() == inForeign && bytes.HasPrefix(rest, []byte("<![CDATA[")):
		n := bytes.Index(rest, []byte("]]>"))
		if n < 0 {
			return len(s.src)
		}
		return lt + n + len("]]>")
	}
	return untilAngle(s.src, lt+len("<!"))
}

// commentEnd returns the offset after the comment whose text begins at i. A comment ends with "-->" or "--!>", and
// "<!-->" and "<!--->" are complete (HTML standard 13.2.5.43 to 51).
func commentEnd(src []byte, i int) int {
	for at := i; ; {
		n := bytes.IndexByte(src[at:], '>')
		if n < 0 {
			return len(src)
		}
		at += n
		text := src[i:at]
		if len(text) == 0 || len(text) == 1 && text[0] == '-' ||
			bytes.HasSuffix(text, []byte("--")) || bytes.HasSuffix(text, []byte("--!")) {
			return at + 1
		}
		at++
	}
}

// noContext is the result of top outside of all contexts.
const noContext = context(255)

func (s *htmlScanner) top() context {
	if len(s.contexts) == 0 {
		return noContext
	}
	return s.contexts[len(s.contexts)-1]
}

func (s *htmlScanner) push(c context) {
	if len(s.contexts) >= maxContexts {
		s.found.defect(DefectNesting)
		return
	}
	s.contexts = append(s.contexts, c)
	if c.template() {
		s.inside++
	} else {
		s.foreign++
	}
}

func (s *htmlScanner) pop() {
	if s.top().template() {
		s.inside--
	} else {
		s.foreign--
	}
	s.contexts = s.contexts[:len(s.contexts)-1]
}

// popTo leaves the innermost context for which is returns true, with everything in it. It stops at a template unless
// through is set.
func (s *htmlScanner) popTo(through bool, is func(context) bool) {
	for i := len(s.contexts) - 1; i >= 0; i-- {
		if is(s.contexts[i]) {
			for len(s.contexts) > i {
				s.pop()
			}
			return
		}
		if s.contexts[i].template() && !through {
			return
		}
	}
}

// startTag handles s.tag. It returns the name of the element if raw text follows, or else "".
func (s *htmlScanner) startTag() (rawText string) {
	e := elementOf(s.src[s.tag.nameStart:s.tag.nameEnd])
	if len(s.contexts) == 0 && s.phase < inBody {
		if s.headTag(e) {
			return e.rawTextName()
		}
		// The tag ended the head, and is handled again below.
	}
	if s.phase == inFrameset {
		return e.rawTextName()
	}
	return s.bodyTag(e)
}

// headTag handles a start tag outside the body and its contexts (HTML standard 13.2.6.4.1 to 6). It returns false if
// the tag belongs to the body.
func (s *htmlScanner) headTag(e element) bool {
	if e == elHTML {
		return true
	}
	if s.phase == beforeHead {
		s.phase = inHead
		if e == elHead {
			return true
		}
	}
	switch e {
	case elHead, elBase, elHeadVoid, elScript, elTitle, elStyle, elNoframes:
		return true
	case elLink:
		s.found.link(s.src, &s.tag)
		return true
	case elMeta:
		s.meta()
		return true
	case elTemplate:
		s.push(inTemplate)
		return true
	case elNoscript:
		if s.phase == inHead {
			return true
		}
	case elFrameset:
		if s.phase == afterHead {
			s.phase = inFrameset
			return true
		}
	}
	if s.phase == inHead {
		s.phase = afterHead
		return s.headTag(e)
	}
	s.phase = inBody
	return false
}

// bodyTag handles a start tag in the body or in a template.
func (s *htmlScanner) bodyTag(e element) (rawText string) {
	if s.top() == inForeign {
		if !e.is(breaksOut) {
			s.foreignTag(e)
			s.class()
			return ""
		}
		for s.top() == inForeign {
			s.pop()
		}
	}
	if s.top() == inTemplate && !e.is(keepsTemplate) {
		s.contexts[len(s.contexts)-1] = inTemplateBody
		if e == elCol {
			s.contexts[len(s.contexts)-1] = inTemplateCols
		}
	}
	s.class()
	s.opened(e)
	switch {
	case e == elTemplate:
		s.push(inTemplate)
	case e == elSVG || e == elMath:
		if !s.tag.selfClosing && s.top() != inTemplateCols {
			s.push(inForeign)
		}
	case e == elMeta:
		if s.phase == inBody && s.inside == 0 {
			s.meta()
		}
	default:
		return e.rawTextName()
	}
	return ""
}

// foreignTag handles a start tag of an SVG or MathML element.
func (s *htmlScanner) foreignTag(e element) {
	if s.tag.selfClosing {
		return
	}
	switch e {
	case elSVG, elMath:
		s.push(inForeign)
	case elForeignObject:
		s.push(inForeignObject)
	case elDesc:
		s.push(inForeignDesc)
	case elTitle:
		s.push(inForeignTitle)
	case elMathText:
		s.push(inForeignMathTxt)
	}
}

// endTag handles the end tag at lt and returns its end.
func (s *htmlScanner) endTag(lt int) int {
	at := lt + len("</")
	if at >= len(s.src) || !isLetter(s.src[at]) {
		return untilAngle(s.src, at)
	}
	if !s.tag.read(s.src, lt, at, false) {
		return len(s.src)
	}
	e := elementOf(s.src[s.tag.nameStart:s.tag.nameEnd])
	if len(s.contexts) > 0 {
		s.endContext(e)
		return s.tag.end
	}
	s.closed(e)
	if s.phase < afterHead && e == elHead {
		s.phase = afterHead
	}
	if s.phase < inBody && (e == elBody || e == elHTML || e == elBr) {
		s.phase = inBody
	}
	return s.tag.end
}

// endContext handles an end tag inside a template or foreign content.
func (s *htmlScanner) endContext(e element) {
	switch e {
	case elTemplate:
		s.popTo(true, context.template)
	case elSVG, elMath:
		s.popTo(false, func(c context) bool { return c == inForeign })
	case elForeignObject:
		s.popTo(false, func(c context) bool { return c == inForeignObject })
	case elDesc:
		s.popTo(false, func(c context) bool { return c == inForeignDesc })
	case elTitle:
		s.popTo(false, func(c context) bool { return c == inForeignTitle })
	case elMathText:
		s.popTo(false, func(c context) bool { return c == inForeignMathTxt })
	default:
		for s.top() == inForeign && s.endsForeign(e) {
			s.pop()
		}
		s.closed(e)
	}
}

// endsForeign reports whether an end tag in foreign content ends that: the tag of an outer element that is open, and
// those of p and br always (HTML standard 13.2.6.5).
func (s *htmlScanner) endsForeign(e element) bool {
	switch e {
	case elP, elBr:
		return true
	case elTable:
		return s.tables > 0
	case elBreakout:
		return s.others > 0
	}
	return false
}

// opened and closed count the open elements that endsForeign needs, whatever their order and names.
func (s *htmlScanner) opened(e element) {
	switch e {
	case elTable:
		s.tables++
	case elBreakout:
		s.others++
	}
}

func (s *htmlScanner) closed(e element) {
	switch e {
	case elTable:
		s.tables = max(0, s.tables-1)
	case elBreakout:
		s.others = max(0, s.others-1)
	}
}

// meta records a META of the head or of the body.
func (s *htmlScanner) meta() {
	s.tag.repair(s.src)
	s.found.meta(s.src, &s.tag, s.phase == inBody)
}

// class records the class tokens of an element of the body.
func (s *htmlScanner) class() {
	if s.phase == inBody && s.inside == 0 && s.tag.class.set {
		s.tag.repair(s.src)
		s.found.class(s.src, &s.tag)
	}
}
