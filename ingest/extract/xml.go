package extract

import "bytes"

// xmlScanner finds raw directives in a document that is parsed as XML (R-PARSE-1): robots PIs anywhere outside comments
// and CDATA sections, the internal subset of the DOCTYPE included (R-PI-1), and for XHTML the METAs and class tokens.
// It does not check well-formedness: it goes on as far as it can read.
//
// A document is XHTML if its root is html, in the XHTML namespace or in none (R-META-1). Elements are told by their
// local names in any ASCII case; of namespaces only that of the root is looked at. A META stands in the head as a child
// of a head that is a child of the root, and in the body anywhere inside a body that is a child of the root; a class
// token counts on that body and on what is inside. What a template holds is neither.
type xmlScanner struct {
	src   []byte
	found sink
	depth int
	root  bool // the root has been seen
	xhtml bool // and it is that of XHTML
	head  bool // inside the head
	body  bool // inside the body
	// template is the depth of the outermost template that is open, 0 if none
	template int
	text     bool // text has been seen: a PI is late now
	tag      tag
}

func (s *xmlScanner) scan(src []byte, found sink) {
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

// markup reads what begins with the '<' at lt and returns where it ends.
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
	if foldPrefix(s.src[lt:end], "<?xml") && s.depth == 0 {
		var declaration tag
		if declaration.read(s.src[:end], lt, lt+len("<?"), false) && declaration.encoding.set {
			s.found.encoding(declaration.encoding.in(s.src))
		}
	}
	return end
}

// doctype reads a markup declaration with its internal subset, in which PIs count and quoted text and comments do not.
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

// start acts on the start tag in s.tag.
func (s *xmlScanner) start() {
	name := local(s.src[s.tag.nameStart:s.tag.nameEnd])
	if !s.root {
		s.root, s.xhtml = true, foldEqual(name, "html") && isXHTML(s.tag.xmlns, s.src)
	}
	switch {
	case !s.xhtml:
	case s.depth == 1 && foldEqual(name, "head"):
		s.head = !s.tag.selfClosing
	case s.depth == 1 && foldEqual(name, "body"):
		s.body = true
	case foldEqual(name, "meta") && s.template == 0 && (s.depth == 2 && s.head || s.depth > 1 && s.body):
		s.tag.repair(s.src)
		s.found.meta(s.src, &s.tag, s.body)
	}
	if s.body && s.template == 0 && s.tag.class.set {
		s.tag.repair(s.src)
		s.tag.nameStart = s.tag.nameEnd - len(name)
		s.found.class(s.src, &s.tag)
	}
	if s.tag.selfClosing || foldEqual(name, "meta") {
		// A META is empty; XHTML that was written as HTML leaves it open.
		s.body = s.body && s.depth > 1
		return
	}
	s.depth++
	if s.template == 0 && foldEqual(name, "template") {
		s.template = s.depth
	}
}

// isXHTML tells whether a namespace as it is declared is that of XHTML, or there is none.
func isXHTML(declared value, src []byte) bool {
	namespace := bytes.TrimFunc(decodeValue(cut(declared.in(src), decodeLimit)), isBlankRune)
	return len(namespace) == 0 || string(namespace) == "http://www.w3.org/1999/xhtml"
}

// end acts on the end tag at lt.
func (s *xmlScanner) end(lt int) {
	name, _, _ := bytes.Cut(s.src[lt+len("</"):untilAngle(s.src, lt)], []byte(">"))
	if s.depth == 0 || foldEqual(local(bytes.TrimSpace(name)), "meta") {
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

// local is a name without its prefix.
func local(name []byte) []byte { return name[bytes.IndexByte(name, ':')+1:] }
