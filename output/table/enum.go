package table

import "github.com/acapscan/acapscan/internal/terms"

// An Enum is a column type with a closed list of values. A null column is outside of the list.
type Enum interface {
	// Values lists the allowed values in their documented order.
	Values() []string
}

// A Word is a value of an enumeration of package terms as rows hold it: its name. "" is no value.
type Word[E terms.Enum] string

// WordOf returns the value as rows hold it.
func WordOf[E terms.Enum](value E) Word[E] { return Word[E](value.String()) }

// Is reports whether the word is the name of the value.
func (w Word[E]) Is(value E) bool { return string(w) == value.String() }

// Values lists the names of the enumeration in their documented order.
func (Word[E]) Values() []string { return terms.Names[E]() }

// The enumerations of columns.
type (
	AdoptionClass = Word[terms.AdoptionClass]
	RobotsOutcome = Word[terms.RobotsOutcome]
	RecordType    = Word[terms.RecordType]
	Parser        = Word[terms.Parser]
	Source        = Word[terms.Source]
	Vocabulary    = Word[terms.Vocabulary]
	Usage         = Word[terms.Usage]
	Family        = Word[terms.Family]
	Sense         = Word[terms.Sense]
	Status        = Word[terms.Status]
	Scope         = Word[terms.Scope]
	Extent        = Word[terms.Extent]
	Decision      = Word[terms.Decision]
	Basis         = Word[terms.Basis]
	Profile       = Word[terms.Profile]
	OtherReading  = Word[terms.OtherReading]
	ConflictKind  = Word[terms.ConflictKind]
	Severity      = Word[terms.Severity]
	Winner        = Word[terms.Winner]
	Reading       = Word[terms.Reading]
)
