package markup

// An element is a kind of HTML element with a special treatment in the scanner.
type element uint8

const (
	elOther element = iota
	elHTML
	elHead
	elBody
	elFrameset
	elMeta
	elBase
	elHeadVoid // basefont, bgsound
	elLink
	elTitle
	elStyle
	elScript
	elNoscript
	elNoframes
	elTemplate
	elTextarea
	elXMP
	elIframe
	elNoembed
	elPlaintext
	elBr
	elCol
	elSVG
	elMath
	elForeignObject
	elDesc
	elMathText // mi, mo, mn, ms, mtext, annotation-xml: the content is HTML
	elP
	elTable
	elVoidBreakout // embed, hr, img
	elBreakout     // elements that end foreign content and are not listed above
	elements       // number of kinds
)

// A trait is a property of several kinds of elements.
type trait uint8

const (
	rawText       trait = 1 << iota // the tokenizer reads raw text after the start tag
	keepsTemplate                   // a template with only these remains in its first mode
	breaksOut                       // ends foreign content (HTML standard 13.2.6.5)
)

var traits = [elements]trait{
	elMeta:      keepsTemplate | breaksOut,
	elBase:      keepsTemplate,
	elHeadVoid:  keepsTemplate,
	elLink:      keepsTemplate,
	elTitle:     keepsTemplate | rawText,
	elStyle:     keepsTemplate | rawText,
	elScript:    keepsTemplate | rawText,
	elNoscript:  rawText, // scripting is on
	elNoframes:  keepsTemplate | rawText,
	elTemplate:  keepsTemplate,
	elTextarea:  rawText,
	elXMP:       rawText,
	elIframe:    rawText,
	elNoembed:   rawText,
	elPlaintext: rawText,

	elBody:         breaksOut,
	elHead:         breaksOut,
	elBr:           breaksOut,
	elP:            breaksOut,
	elTable:        breaksOut,
	elVoidBreakout: breaksOut,
	elBreakout:     breaksOut,
}

func (e element) is(t trait) bool { return traits[e]&t != 0 }

// rawTextName returns the name of an element with raw text, or "".
func (e element) rawTextName() string {
	if !e.is(rawText) {
		return ""
	}
	switch e {
	case elTitle:
		return "title"
	case elStyle:
		return "style"
	case elScript:
		return "script"
	case elNoscript:
		return "noscript"
	case elNoframes:
		return "noframes"
	case elTextarea:
		return "textarea"
	case elXMP:
		return "xmp"
	case elIframe:
		return "iframe"
	case elNoembed:
		return "noembed"
	case elPlaintext:
		return "plaintext"
	}
	return ""
}

// elementOf returns the kind of the element with this name, ignoring ASCII case.
func elementOf(name []byte) element {
	var buf [16]byte
	if len(name) > len(buf) {
		return elOther
	}
	switch string(lowerInto(buf[:], name)) {
	case "html":
		return elHTML
	case "head":
		return elHead
	case "body":
		return elBody
	case "frameset":
		return elFrameset
	case "meta":
		return elMeta
	case "base":
		return elBase
	case "basefont", "bgsound":
		return elHeadVoid
	case "link":
		return elLink
	case "title":
		return elTitle
	case "style":
		return elStyle
	case "script":
		return elScript
	case "noscript":
		return elNoscript
	case "noframes":
		return elNoframes
	case "template":
		return elTemplate
	case "textarea":
		return elTextarea
	case "xmp":
		return elXMP
	case "iframe":
		return elIframe
	case "noembed":
		return elNoembed
	case "plaintext":
		return elPlaintext
	case "br":
		return elBr
	case "col":
		return elCol
	case "svg":
		return elSVG
	case "math":
		return elMath
	case "foreignobject":
		return elForeignObject
	case "desc":
		return elDesc
	case "mi", "mo", "mn", "ms", "mtext", "annotation-xml":
		return elMathText
	case "p":
		return elP
	case "table":
		return elTable
	case "embed", "hr", "img":
		return elVoidBreakout
	case "b", "big", "blockquote", "center", "code", "dd", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6",
		"i", "li", "listing", "menu", "nobr", "ol", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub",
		"sup", "tt", "u", "ul", "var":
		return elBreakout
	}
	return elOther
}
