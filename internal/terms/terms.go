// Package terms holds every closed list of words that tables and decisions share, each once: the constants, the name of
// each value in the tables and, where the report or explain describe values, a phrase. Packages policy, conflict and
// decide give the constants the names that they use; package table makes column types of the lists.
//
// docs/semantics.md defines the words. The zero value of a list is no value, unless a constant says otherwise.
package terms

import "fmt"

// An Enum is one of the lists of this package.
type Enum interface {
	~uint8

	// String returns the name, "" for a zero value that is no value, and a visible mark for a number outside of the
	// list.
	String() string

	// size is the length of the list, the zero value included.
	size() int
}

// A Described enumeration has a phrase for each value.
type Described interface {
	Enum

	// Phrase describes the value in a few words, without a full stop; "" for what is no value.
	Phrase() string
}

// All lists the values of an enumeration in their documented order.
func All[E Enum]() []E {
	var value E
	all := make([]E, 0, value.size())
	for i := range value.size() {
		if value = E(i); value.String() != "" {
			all = append(all, value)
		}
	}
	return all
}

// Names lists the names of the values in their documented order.
func Names[E Enum]() []string {
	var names []string
	for _, value := range All[E]() {
		names = append(names, value.String())
	}
	return names
}

// Parse finds a value by its name, written as in the tables.
func Parse[E Enum](name string) (value E, ok bool) {
	for i := range value.size() {
		if value = E(i); value.String() == name {
			return value, name != ""
		}
	}
	return 0, false
}

// A term is a value: its name, and its phrase where one is needed.
type term struct{ name, phrase string }

// list has terms in the order of their constants.
type list []term

func (l list) name(i uint8) string {
	if int(i) >= len(l) {
		return fmt.Sprintf("invalid(%d)", i)
	}
	return l[i].name
}

func (l list) phrase(i uint8) string {
	if int(i) >= len(l) {
		return ""
	}
	return l[i].phrase
}
