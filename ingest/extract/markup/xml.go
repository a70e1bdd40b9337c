package markup

import "bytes"

// xmlScanner finds raw directives in a document that is parsed as XML (R-PARSE-1). These are robots PIs outside of
// comments and CDATA sections, also in the internal subset of the DOCTYPE (R-PI-1). In XHTML it also finds METAs and
// class tokens. It does not require well-formedness, and reads as far as it can.
//
// A document is XHTML if its root is html, in the XHTML namespace or in none (R-META-1). Elements are compared by local
// name in any ASCII case; only the root's namespace counts. A META of the head is a child of a head that is a child of
// the root. A META of the body, or a class token, is in a body that is a child of the root. Content of a template is
// neither.
type xmlScanner struct {
	src   []byte
	found receiver
	depth int
	root  bool // the root was read
	xhtml bool // the root is that of XHTML
	head  bool // inside the head
	body  bool // inside the body
	// template is the depth of the outermost open template, or 0
	template int
	text     bool // text was read: later PIs are late
	tag      tag
}

func (s *xmlScanner) scan(src []byte, found receiver) {
	*s = xmlScanner{src: src, found: found}
	i := 0
	if bytes.HasPrefix(src, utf8BOM) {
		i = len(utf8BOM)
	}
	for i < len(src) {
		n := bytes.IndexByte(src[i:], '<')
		if n < 0 {
			return
		}
		if !s.text && skipSpace(src[:i+n], i) < i+n {
			s.text = true
		}
		i = s.markup(i + n)
	}
}

// markup reads the markup at lt and returns its end.
func (s *xmlScanner) markup(lt int) int {
	rest := s.src[lt:]
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return s.skip(lt, len("<!--"), "-->")
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		end := s.skip(lt, len("<![CDATA["), "]]>")
		inner := bytes.TrimSuffix(s.src[lt+len("<![CDATA["):end], []byte("]]>"))
		if skipSpace(inner, 0) < len(inner) {
			s.text = true
		}
		return end
	case bytes.HasPrefix(rest, []byte("<!")):
		return s.doctype(lt)
	case bytes.HasPrefix(rest, []byte("<?")):
		return s.pi(lt)
	case len(rest) > 1 && rest[1] == '/':
		s.end(lt)
		return untilAngle(s.src, lt)
	case len(rest) > 1 && (isLetter(rest[1]) || rest[1] == '_' || rest[1] == ':' || rest[1] >= 0x80):
		if !s.tag.read(s.src, lt, lt+1, false) {
			return len(s.src)
		}
		s.start()
		return s.tag.end
	}
	s.text = true
	return lt + 1
}

// skip returns the offset after the next end from lt+n on.
func (s *xmlScanner) skip(lt, n int, end string) int {
	at := bytes.Index(s.src[lt+n:], []byte(end))
	if at < 0 {
		return len(s.src)
	}
	return lt + n + at + len(end)
}

func (s *xmlScanner) pi(lt int) int {
	end := s.skip(lt, len("<?"), "?>")
	s.found.pi(s.src, lt, end, s.text)
	if FoldPrefix(s.src[lt:end], "<?xml") && s.depth == 0 {
		var declaration tag
		if declaration.read(s.src[:end], lt, lt+len("<?"), false) && declaration.encoding.set {
			s.found.encoding(declaration.encoding.in(s.src))
		}
	}
	return end
}

// doctype reads a markup declaration with its internal subset. PIs in it count, except in quoted text and comments.
func (s *xmlScanner) doctype(lt int) int {
	subset := false
	for i := lt + len("<!"); i < len(s.src); {
		switch c := s.src[i]; {
		case c == '"' || c == '\'':
			n := bytes.IndexByte(s.src[i+1:], c)
			if n < 0 {
				return len(s.src)
			}
			i += 1 + n + 1
		case c == '<' && bytes.HasPrefix(s.src[i:], []byte("<!--")):
			i = s.skip(i, len("<!--"), "-->")
		case c == '<' && bytes.HasPrefix(s.src[i:], []byte("<?")):
			i = s.pi(i)
		case c == '[':
			subset = true
			i++
		case c == ']':
			subset = false
			i++
		case c == '>' && !subset:
			return i + 1
		default:
			i++
		}
	}
	return len(s.src)
}

// start handles the start tag in s.tag.
func (s *xmlScanner) start() {
	name := local(s.src[s.tag.nameStart:s.tag.nameEnd])
	if !s.root {
		s.root, s.xhtml = true, FoldEqual(name, "html") && isXHTML(s.tag.xmlns, s.src)
	}
	switch {
	case !s.xhtml:
	case s.depth == 1 && FoldEqual(name, "head"):
		s.head = !s.tag.selfClosing
	case s.depth == 2 && s.head && FoldEqual(name, "link"):
		s.found.link(s.src, &s.tag)
	case s.depth == 1 && FoldEqual(name, "body"):
		s.body = true
	case FoldEqual(name, "meta") && s.template == 0 && (s.depth == 2 && s.head || s.depth > 1 && s.body):
		s.tag.repair(s.src)
		s.found.meta(s.src, &s.tag, s.body)
	}
	if s.body && s.template == 0 && s.tag.class.set {
		s.tag.repair(s.src)
		s.tag.nameStart = s.tag.nameEnd - len(name)
		s.found.class(s.src, &s.tag)
	}
	if s.tag.selfClosing || FoldEqual(name, "meta") {
		// A META is empty. XHTML that was written as HTML leaves it open.
		s.body = s.body && s.depth > 1
		return
	}
	s.depth++
	if s.template == 0 && FoldEqual(name, "template") {
		s.template = s.depth
	}
}

// isXHTML reports whether a declared namespace is that of XHTML, or missing.
func isXHTML(declared value, src []byte) bool {
	namespace := bytes.TrimFunc(decodeValue(cut(declared.in(src), decodeLimit)), isBlankRune)
	return len(namespace) == 0 || string(namespace) == "http://www.w3.org/1999/xhtml"
}

// end handles the end tag at lt.
func (s *xmlScanner) end(lt int) {
	name, _, _ := bytes.Cut(s.src[lt+len("</"):untilAngle(s.src, lt)], []byte(">"))
	if s.depth == 0 || FoldEqual(local(bytes.TrimSpace(name)), "meta") {
		return
	}
	if s.template == s.depth {
		s.template = 0
	}
	s.depth--
	if s.depth <= 1 {
		s.head, s.body = false, false
	}
}

// local returns a name without its prefix.
func local(name []byte) []byte { return name[bytes.IndexByte(name, ':')+1:] }
