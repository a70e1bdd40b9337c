package archive

// Defect is the code of one way in which an archive is not what the standard
// says. The codes are stable: they stand in tables.
type Defect string

// Defects of framing.
const (
	// MultiRecordMember: the record is not the first of its compressed member.
	MultiRecordMember Defect = "multi-record-member"
	// SplitRecord: the record goes on in the next compressed member.
	SplitRecord Defect = "split-record"
	// EmptyMember: a compressed member without content, or with line ends only.
	EmptyMember Defect = "empty-member"
	// BadMember: a compressed member that cannot be inflated to its end or
	// whose checksum is wrong; the record at the damage is lost.
	BadMember Defect = "bad-member"
	// Junk: bytes between members or records that belong to none.
	Junk Defect = "junk"
	// TrailingGarbage: bytes after the last member or record.
	TrailingGarbage Defect = "trailing-garbage"
	// Truncated: the input ends within the record or member.
	Truncated Defect = "truncated"
	// LengthMismatch: the block is shorter or longer than declared.
	LengthMismatch Defect = "length-mismatch"
	// LengthMissing: no length is declared.
	LengthMissing Defect = "length-missing"
	// LengthInvalid: the declared length is no number, negative, or more than
	// the input can hold.
	LengthInvalid Defect = "length-invalid"
	// LengthRepeated: the length is declared more than once; the first counts.
	LengthRepeated Defect = "length-repeated"
	// BadSeparator: the record is not followed by two CRLF (ARC: one LF).
	BadSeparator Defect = "bad-separator"
)

// Defects of record headers.
const (
	// HeaderTooLarge: the header is longer than Options.MaxHeader; the record
	// is lost.
	HeaderTooLarge Defect = "header-too-large"
	// HeaderUnterminated: the header ends without an empty line.
	HeaderUnterminated Defect = "header-unterminated"
	// HeaderFolded: a field goes on over several lines.
	HeaderFolded Defect = "header-folded"
	// HeaderNoColon: a line without a colon; it is ignored.
	HeaderNoColon Defect = "header-no-colon"
	// HeaderSpaceBeforeColon: white space between a field's name and its colon.
	HeaderSpaceBeforeColon Defect = "header-space-before-colon"
	// HeaderRepeated: a field that may stand once stands several times; the
	// first counts.
	HeaderRepeated Defect = "header-repeated"
	// HeaderLineEnd: a line that does not end with exactly CRLF.
	HeaderLineEnd Defect = "header-line-end"
	// HeaderNotUTF8: bytes that are not UTF-8; they are kept as they are.
	HeaderNotUTF8 Defect = "header-not-utf8"
	// VersionUnknown: a version other than 0.17, 0.18, 1.0 and 1.1 (ARC: 1).
	VersionUnknown Defect = "record-version-unknown"
	// TypeUnknown: a record type that the standard does not name, or none.
	TypeUnknown Defect = "type-unknown"
	// URIBrackets: the URI is surrounded by < and >.
	URIBrackets Defect = "uri-brackets"
	// URISpaces: white space within the URI.
	URISpaces Defect = "uri-spaces"
	// URIMissing: no URI in a record of a type that must have one.
	URIMissing Defect = "uri-missing"
	// DateInvalid: no date, or one that is not of the form the format asks for.
	DateInvalid Defect = "date-invalid"
	// ColumnMissing: an ARC line without an IP address or a content type.
	ColumnMissing Defect = "column-missing"
)

// Defects returns every defect.
func Defects() []Defect {
	return []Defect{
		MultiRecordMember, SplitRecord, EmptyMember, BadMember, Junk,
		TrailingGarbage, Truncated, LengthMismatch, LengthMissing,
		LengthInvalid, LengthRepeated, BadSeparator,
		HeaderTooLarge, HeaderUnterminated, HeaderFolded, HeaderNoColon,
		HeaderSpaceBeforeColon, HeaderRepeated, HeaderLineEnd, HeaderNotUTF8,
		VersionUnknown, TypeUnknown, URIBrackets, URISpaces, URIMissing,
		DateInvalid, ColumnMissing,
	}
}
