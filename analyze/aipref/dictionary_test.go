package aipref

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/dunglas/httpsfv"
	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
)

// preferences are what a vocabulary draft's processing algorithm makes of a dictionary: the last of each key.
func preferences(members []member) map[string]policy.Sense {
	last := map[string]policy.Sense{}
	for _, m := range members {
		last[m.key] = m.sense
	}
	return last
}

var dictionaries = []struct {
	name, text string
	want       map[string]policy.Sense // nil: no dictionary
}{
	{"vocab 6", "train-ai=y, search=n", map[string]policy.Sense{"train-ai": policy.Allow, "search": policy.Disallow}},
	{"vocab 6.5.1", `train-ai=y, train-ai, search=n, search="n"`,
		map[string]policy.Sense{"train-ai": policy.NoSense, "search": policy.NoSense}},
	{"vocab 6.5.2 parameters of a beaten value", "train-ai;allow=n, train-ai=y",
		map[string]policy.Sense{"train-ai": policy.Allow}},
	// The draft's second example ends with a semicolon, which RFC 9651 4.2.3.2 does not allow.
	{"vocab 6.5.2 as written", `train-ai;has;parameters="?";`, nil},
	{"vocab 6.5.2 without its last semicolon", `train-ai;has;parameters="?"`,
		map[string]policy.Sense{"train-ai": policy.NoSense}},
	{"parameters of a token", "train-ai=n;why=(", nil},
	{"parameters of a token, read", "train-ai=n;why=x; how", map[string]policy.Sense{"train-ai": policy.Disallow}},
	{"nothing", "", map[string]policy.Sense{}},
	{"blanks only", "   ", map[string]policy.Sense{}},
	{"no blank after the comma", "train-ai=n,search=y",
		map[string]policy.Sense{"train-ai": policy.Disallow, "search": policy.Allow}},
	{"tab around the comma", "train-ai=n\t,\tsearch=y", map[string]policy.Sense{"train-ai": policy.Disallow,
		"search": policy.Allow}},
	{"a tab before the first key", "\ttrain-ai=n", nil},
	{"comma at the end", "train-ai=n,", nil},
	{"two commas", "train-ai=n,,search=y", nil},
	{"semicolon for comma", "train-ai=n; search=y", map[string]policy.Sense{"train-ai": policy.Disallow}},
	{"blank for comma", "train-ai=n search=y", nil},
	{"blank before the equals sign", "train-ai =n", nil},
	{"blank after the equals sign", "train-ai= n", nil},
	{"capital in a key", "Train-AI=n", nil},
	{"capital in another key", "train-ai=n, X=y", nil},
	{"capital value", "train-ai=N", map[string]policy.Sense{"train-ai": policy.NoSense}},
	{"the word no", "train-ai=no", map[string]policy.Sense{"train-ai": policy.NoSense}},
	{"a colon for the equals sign", "train-ai: n", nil},
	{"boolean", "train-ai=?0", map[string]policy.Sense{"train-ai": policy.NoSense}},
	{"boolean with another digit", "train-ai=?2", nil},
	{"key alone", "train-ai", map[string]policy.Sense{"train-ai": policy.NoSense}},
	{"inner list of n", "train-ai=(n)", map[string]policy.Sense{"train-ai": policy.NoSense}},
	{"inner list", "a=( x  y;z=1 )", map[string]policy.Sense{"a": policy.NoSense}},
	{"inner list without blanks", `a=("x""y")`, nil},
	{"inner list without an end", "train-ai=n, a=(x", nil},
	{"inner list in a list", "a=((x))", nil},
	{"integer of 15 digits", "a=999999999999999", map[string]policy.Sense{"a": policy.NoSense}},
	{"integer of 16 digits spoils all", "train-ai=n, a=9999999999999999", nil},
	{"decimal", "a=-123456789012.123", map[string]policy.Sense{"a": policy.NoSense}},
	{"decimal of 13 digits", "a=1234567890123.1", nil},
	{"decimal of four places", "a=1.1234", nil},
	{"decimal without places", "a=1.", nil},
	{"sign alone", "a=-", nil},
	{"string with escapes", `a="x\"\\"`, map[string]policy.Sense{"a": policy.NoSense}},
	{"string with another escape", `a="\n"`, nil},
	{"string beyond ASCII", `a="é"`, nil},
	{"string without an end", `train-ai=n, a="x`, nil},
	{"byte sequence", "a=:aGk=:", map[string]policy.Sense{"a": policy.NoSense}},
	{"byte sequence without padding", "a=:aGk:", map[string]policy.Sense{"a": policy.NoSense}},
	{"byte sequence without an end", "a=:aGk=", nil},
	{"byte sequence of other bytes", "a=:a-k=:", nil},
	{"date", "a=@1659578233", map[string]policy.Sense{"a": policy.NoSense}},
	{"date with a fraction", "a=@1659578233.12", nil},
	{"display string", `a=%"f%c3%bc%c3%bc"`, map[string]policy.Sense{"a": policy.NoSense}},
	{"display string with capitals", `a=%"f%C3%BC"`, nil},
	{"display string not UTF-8", `a=%"%c3"`, nil},
	{"display string cut", `a=%"%c`, nil},
	{"token with a slash", "a=*text/html", map[string]policy.Sense{"a": policy.NoSense}},
	{"other keys", "*=y, a_b.c-*9=n", map[string]policy.Sense{"*": policy.Allow, "a_b.c-*9": policy.Disallow}},
	{"a digit begins no key", "9=n", nil},
	{"no item", "train-ai=", nil},
	{"no item at all", "train-ai=n, a=,", nil},
	{"NUL", "train-ai=n\x00", nil},
}

// RFC 9651 4.2.2 and its parts; the examples of the vocabulary draft.
func TestDictionary(t *testing.T) {
	for _, test := range dictionaries {
		t.Run(test.name, func(t *testing.T) {
			members, ok := readDictionary(test.text)
			if ok != (test.want != nil) {
				t.Fatalf("%q: read is %t", test.text, ok)
			}
			if diff := cmp.Diff(test.want, preferences(members)); ok && diff != "" {
				t.Error(diff)
			}
			agrees(t, test.text)
		})
	}
}

// A member says where it stands and what was written there.
func TestDictionaryMembers(t *testing.T) {
	members, _ := readDictionary(" train-ai=n;why=x , search")
	want := []member{{"train-ai", "train-ai=n;why=x", policy.Disallow, 1}, {"search", "search", policy.NoSense, 20}}
	if diff := cmp.Diff(want, members, cmp.AllowUnexported(member{})); diff != "" {
		t.Error(diff)
	}
}

// agrees compares a text with another parser of RFC 9651.
func agrees(t *testing.T, text string) {
	t.Helper()
	members, ok := readDictionary(text)
	theirs, err := httpsfv.UnmarshalDictionary([]string{text})
	if corrupt := base64.CorruptInputError(0); errors.As(err, &corrupt) {
		return // RFC 9651 4.2.7 lets parsers differ in padding, and the other one needs it
	}
	if ok != (err == nil) {
		t.Fatalf("%q: read is %t, and the other parser has %v", text, ok, err)
	}
	if !ok {
		return
	}
	got := preferences(members)
	if len(got) != len(theirs.Names()) {
		t.Fatalf("%q: %v, and the other parser has %q", text, got, theirs.Names())
	}
	for _, key := range theirs.Names() {
		value, _ := theirs.Get(key)
		want := policy.NoSense
		if item, ok := value.(httpsfv.Item); ok {
			switch item.Value {
			case httpsfv.Token("y"):
				want = policy.Allow
			case httpsfv.Token("n"):
				want = policy.Disallow
			}
		}
		if sense, ok := got[key]; !ok || sense != want {
			t.Errorf("%q: %s is %v, and the other parser has %v", text, key, sense, value)
		}
	}
}

// Another parser of RFC 9651 reads the same preferences.
func FuzzDictionary(f *testing.F) {
	for _, test := range dictionaries {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		agrees(t, text)
		members, _ := readDictionary(text)
		for _, m := range members {
			if !strings.HasPrefix(text[m.at:], m.text) || !strings.HasPrefix(m.text, m.key) {
				t.Errorf("%q: %+v stands elsewhere", text, m)
			}
		}
	})
}
