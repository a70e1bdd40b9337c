package tdmrep

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// show writes a statement in a line: place, what it says, and what is unusual.
func show(st policy.Statement) string {
	words := []string{fmt.Sprintf("%s %d", st.Source, st.Offset), st.Field}
	if st.Sense != policy.NoSense {
		words = append(words, st.Sense.String(), st.Usage.String())
	}
	if st.Resource != "" {
		words = append(words, st.Resource)
	}
	if st.Status != policy.Valid {
		words = append(words, st.Status.String())
	}
	for _, d := range st.Defects {
		words = append(words, "!"+string(d))
	}
	return strings.Join(words, " ")
}

func meta(at int64, name, content string) policy.Markup {
	return policy.Markup{Source: policy.Meta, Offset: at, Name: name, Value: content}
}

func field(at int64, name, value string) policy.Markup {
	return policy.Markup{Source: policy.HTTPHeader, Offset: at, Name: name, Value: value}
}

func read(options vocabulary.Options, markup ...policy.Markup) (list []string) {
	p := &policy.Page{}
	Vocabulary().ReadPage(markup, nil, options, p)
	for _, st := range p.Statements {
		list = append(list, show(st))
	}
	return list
}

// R-TDM-1, R-TDM-2.
func TestReadPage(t *testing.T) {
	inBody, quoted := meta(9, "tdm-reservation", "1"), meta(9, "tdm-reservation", "1")
	inBody.InBody, quoted.SmartQuotes = true, true
	for _, test := range []struct {
		name   string
		markup []policy.Markup
		want   []string
	}{
		{"TDMREP 5.2", []policy.Markup{field(3, "tdm-reservation", "1"), field(4, "tdm-policy",
			"https://p.example/p.json")},
			[]string{"http-header 3 tdm-reservation disallow tdm",
				"http-header 4 tdm-policy https://p.example/p.json recorded"}},
		{"TDMREP 5.3", []policy.Markup{meta(40, "tdm-reservation", "1"), meta(90, "tdm-policy",
			"https://p.example/p.json")},
			[]string{"meta 40 tdm-reservation disallow tdm", "meta 90 tdm-policy https://p.example/p.json recorded"}},
		{"not reserved, in capitals", []policy.Markup{meta(1, " TDM-Reservation ", " 0\n")},
			[]string{"meta 1 tdm-reservation allow tdm"}},
		{"other values", []policy.Markup{meta(1, "tdm-reservation", "true"), field(2, "tdm-reservation", ""), field(3,
			"tdm-reservation", "1, 0"),
			field(4, "tdm-reservation", "01")},
			[]string{"meta 1 tdm-reservation true invalid !unknown-preference-value",
				"http-header 2 tdm-reservation invalid !unknown-preference-value",
				"http-header 3 tdm-reservation 1, 0 invalid !unknown-preference-value",
				"http-header 4 tdm-reservation 01 invalid !unknown-preference-value"}},
		{"a META supersedes the header", []policy.Markup{field(1, "tdm-reservation", "1"), meta(2, "tdm-reservation",
			"0")},
			[]string{"http-header 1 tdm-reservation disallow tdm ignored", "meta 2 tdm-reservation allow tdm"}},
		{"an error does not", []policy.Markup{field(1, "tdm-reservation", "1"), meta(2, "tdm-reservation", "no")},
			[]string{"http-header 1 tdm-reservation disallow tdm",
				"meta 2 tdm-reservation no invalid !unknown-preference-value"}},
		{"nor a META in the body", []policy.Markup{field(1, "tdm-reservation", "0"), inBody},
			[]string{"http-header 1 tdm-reservation allow tdm",
				"meta 9 tdm-reservation disallow tdm ignored !meta-in-body"}},
		{"nor a policy a reservation", []policy.Markup{field(1, "tdm-reservation", "1"), field(2, "tdm-policy", "/a"),
			meta(3, "tdm-policy", "/b")},
			[]string{"http-header 1 tdm-reservation disallow tdm", "http-header 2 tdm-policy /a ignored",
				"meta 3 tdm-policy /b recorded"}},
		{"a policy without reservation", []policy.Markup{field(0, "tdm-reservation", "0"), field(1, "tdm-policy",
			"/a")},
			[]string{"http-header 0 tdm-reservation allow tdm", "http-header 1 tdm-policy /a recorded"}},
		{"typographic quotes", []policy.Markup{quoted},
			[]string{"meta 9 tdm-reservation disallow tdm repaired !smart-quotes"}},
		{"other names", []policy.Markup{meta(1, "tdm:reservation", "1"), meta(2, "tdm", "1"),
			{Source: policy.Class, Name: "tdm-reservation", Value: "1"}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, read(vocabulary.Options{}, test.markup...)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := read(vocabulary.Options{BodyMETAs: true}, inBody); !cmp.Equal(got,
		[]string{"meta 9 tdm-reservation disallow tdm !meta-in-body"}) {
		t.Errorf("METAs of the body count: %q", got)
	}
	if got := read(vocabulary.Options{Refuse: []policy.Defect{policy.DefectSmartQuotes}},
		quoted); !strings.Contains(got[0], "invalid") {
		t.Errorf("typographic quotes refused: %q", got)
	}
}

// What is read differs where a rule is left out, as policy.Rule.Without says.
func TestWithout(t *testing.T) {
	markup := []policy.Markup{field(1, "tdm-reservation", "1"), meta(2, "tdm-reservation", "0"), meta(3,
		"tdm-reservation", "x")}
	for rule, want := range map[policy.Rule][]string{
		policy.RuleReservation: {"http-header 1 tdm-reservation 1 recorded", "meta 2 tdm-reservation 0 recorded",
			"meta 3 tdm-reservation x recorded"},
		policy.RuleReservationOrder: {"http-header 1 tdm-reservation disallow tdm", "meta 2 tdm-reservation allow tdm",
			"meta 3 tdm-reservation x invalid !unknown-preference-value"},
	} {
		if diff := cmp.Diff(want, read(vocabulary.Options{Without: policy.RuleSet{}.With(rule)},
			markup...)); diff != "" {
			t.Errorf("%s: %s", rule, diff)
		}
	}
}

// FuzzReadPage: of METAs and header fields one carrier decides: METAs if one of them is 1 or 0, else the header.
func FuzzReadPage(f *testing.F) {
	f.Add("1", "0", "x")
	f.Add(" 0 ", "", "1")
	f.Fuzz(func(t *testing.T, one, two, three string) {
		p := &policy.Page{}
		Vocabulary().ReadPage([]policy.Markup{meta(1, "tdm-reservation", one), field(2, "TDM-RESERVATION", two),
			meta(3, "Tdm-Reservation", three)}, nil, vocabulary.Options{}, p)
		is := func(value string) bool { value = strings.Trim(value, " \t\r\n\f"); return value == "1" || value == "0" }
		for i, want := range []bool{is(one), is(two) && !is(one) && !is(three), is(three)} {
			if st := p.Statements[i]; st.Status.Decides() != want || want &&
				(st.Sense == policy.NoSense || st.Usage != policy.TDM) {
				t.Errorf("%q %q %q: statement %d is %+v", one, two, three, i, st)
			}
		}
	})
}
