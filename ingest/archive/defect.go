package archive

// Defect is the code of one way in which an archive violates its standard. Codes are stable, because tables have them.
//
// Each constant's comment is its row in docs/defects.md, which a test of cmd/acapscan generates.
type Defect string

// Defects of records and members.
const (
	// the record is not the first of its compressed member. It is read; its offset is that of the member.
	MultiRecordMember Defect = "multi-record-member"
	// the record continues in the next compressed member. It is read as one.
	SplitRecord Defect = "split-record"
	// a compressed member has no content, or line ends only. It is skipped.
	EmptyMember Defect = "empty-member"
	// a compressed member cannot be decompressed to its end, or its checksum is wrong. The record at the damage is
	// lost; reading goes on at the next member.
	BadMember Defect = "bad-member"
	// bytes between members or records. They are skipped.
	Junk Defect = "junk"
	// bytes follow the last member or record. They are skipped.
	TrailingGarbage Defect = "trailing-garbage"
	// the input ends within a record or member. What is there is read.
	Truncated Defect = "truncated"
	// the block is shorter or longer than declared.
	LengthMismatch Defect = "length-mismatch"
	// no length is declared.
	LengthMissing Defect = "length-missing"
	// the declared length is not a number, is negative, or is more than the input can hold.
	LengthInvalid Defect = "length-invalid"
	// the length is declared more than once. The first counts.
	LengthRepeated Defect = "length-repeated"
	// two CRLF do not follow the record (ARC: one LF).
	BadSeparator Defect = "bad-separator"
)

// Defects of record headers.
const (
	// the header is longer than the limit (Options.MaxHeader). The record is lost.
	HeaderTooLarge Defect = "header-too-large"
	// the header ends without an empty line.
	HeaderUnterminated Defect = "header-unterminated"
	// a field continues over several lines. They are joined.
	HeaderFolded Defect = "header-folded"
	// a line has no colon. It is skipped.
	HeaderNoColon Defect = "header-no-colon"
	// white space stands between the name of a field and its colon. It is dropped.
	HeaderSpaceBeforeColon Defect = "header-space-before-colon"
	// a field that may stand once stands several times. The first counts.
	HeaderRepeated Defect = "header-repeated"
	// a line does not end with exactly CRLF.
	HeaderLineEnd Defect = "header-line-end"
	// bytes are not UTF-8. They are kept.
	HeaderNotUTF8 Defect = "header-not-utf8"
	// the version of the format is not 0.17, 0.18, 1.0 or 1.1 (ARC: 1). It is read as those.
	VersionUnknown Defect = "record-version-unknown"
	// the standard does not define this type of record, or there is none.
	TypeUnknown Defect = "type-unknown"
	// the URI stands between < and >. They are dropped.
	URIBrackets Defect = "uri-brackets"
	// the URI has white space.
	URISpaces Defect = "uri-spaces"
	// a record that needs a URI has none.
	URIMissing Defect = "uri-missing"
	// the date is missing or malformed.
	DateInvalid Defect = "date-invalid"
	// an ARC line has no IP address or no media type.
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
