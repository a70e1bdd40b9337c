package vocabulary

import (
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
)

func TestNames(t *testing.T) {
	beginsWithX := func(content string) bool { return strings.HasPrefix(content, "x ") }
	one := Vocabulary{Fields: []string{"acap-"}, OwnsContent: beginsWithX}
	two := Vocabulary{Fields: []string{"usage"}, METAs: []string{"m"}, Headers: []string{"h"}}
	names := NamesOf(one, two)
	for _, field := range []string{"acap-", "acap-x", "usage", "usage-x", "acap", "x"} {
		if got, want := names.HasPrefix(field), strings.HasPrefix(field, "acap-"); got != want {
			t.Errorf("field %q belongs to one by its beginning: %v", field, got)
		}
		if got, want := names.HasField(field), field == "usage"; got != want {
			t.Errorf("field %q belongs to one by its name: %v", field, got)
		}
	}
	for _, test := range []struct {
		markup        policy.Markup
		named, owned  bool
		second, first bool
	}{
		{policy.Markup{Source: policy.Meta, Name: " M "}, true, true, true, false},
		{policy.Markup{Source: policy.HTTPHeader, Name: "H"}, true, true, true, false},
		{policy.Markup{Source: policy.HTTPHeader, Name: "M"}, false, false, false, false},
		{policy.Markup{Source: policy.Class, Name: "m"}, false, false, false, false},
		{policy.Markup{Source: policy.Meta, Name: "robots", Value: "x y"}, false, true, false, false},
		{policy.Markup{Source: policy.HTTPHeader, Name: "robots", Value: "x y"}, false, false, false, false},
	} {
		m := test.markup
		if got := names.HasName(&m); got != test.named {
			t.Errorf("%+v is named: %v", m, got)
		}
		if got := names.HasMarkup(&m); got != test.owned {
			t.Errorf("%+v is owned: %v", m, got)
		}
		if got := two.MayBeOn([]policy.Markup{{}, m}); got != test.second {
			t.Errorf("the second may be on a page with %+v: %v", m, got)
		}
		if got := one.MayBeOn([]policy.Markup{m}); got != test.first {
			t.Errorf("the first may be on a page with %+v: %v", m, got)
		}
	}
	if !one.MayBeIn(nil) || two.MayBeIn(map[string]int{"x": 1}) || !two.MayBeIn(map[string]int{"usage": 1}) {
		t.Error("files that may have statements")
	}
	if !one.ReadsAllPages() || two.ReadsAllPages() {
		t.Error("pages that are read")
	}
	if none := (*Names)(nil); none.HasField("usage") || none.HasPrefix("acap-x") || none.HasMarkup(&policy.Markup{}) {
		t.Error("no names")
	}
}
