// Package markup finds the raw directives of pages: METAs and class tokens of HTML and XHTML, processing instructions,
// and the header fields that may carry policy. It copies their text and interprets nothing. It knows pages only, no
// archives and no sites.
package markup
