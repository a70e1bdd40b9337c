package rep

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
)

func meta(name, content string) policy.Markup {
	return policy.Markup{Source: policy.Meta, Offset: 1, Name: name, Value: content, Raw: "<meta>"}
}

func header(value string) policy.Markup {
	return policy.Markup{Source: policy.HTTPHeader, Offset: 1, Name: "x-robots-TAG", Value: value, Raw: value}
}

func pi(data string) policy.Markup {
	return policy.Markup{Source: policy.PI, Offset: 1, Name: "robots", Value: strings.TrimLeft(data, " \t\r\n"),
		Raw: "<?robots" + data + "?>"}
}

func TestReadPage(t *testing.T) {
	quoted := meta("robots", "noindex")
	quoted.SmartQuotes = true
	for _, test := range []struct {
		name   string
		markup policy.Markup
		want   []string
	}{
		{"S0 2.1/parted by blanks", meta("robots", "index nofollow"),
			[]string{"1.1 index allow index", "1.2 nofollow disallow follow"}},
		{"R-MAP-2/parted by commas, any case", meta("ROBOTS", " NoIndex ,\tFOLLOW,,"),
			[]string{"1.1 noindex disallow index", "1.2 follow allow follow"}},
		{"R-MAP-2/none, all", meta("robots", "none; all"),
			[]string{"1.1 none disallow index", "1.2 none disallow follow", "1.3 all allow index",
				"1.4 all allow follow"}},
		{"R-MAP-3", meta("googlebot", "noarchive"), []string{"1.1 noarchive disallow present-currentcopy [googlebot]",
			"1.2 noarchive disallow present-oldcopy [googlebot]"}},
		{"R-MAP-3/nocache", meta("robots", "nocache"), []string{"1.1 nocache disallow present-currentcopy",
			"1.2 nocache disallow present-oldcopy"}},
		{"R-MAP-4", meta("robots", "nosnippet"), []string{"1.1 nosnippet disallow present-snippet",
			"1.2 nosnippet disallow present-extract",
			"1.3 nosnippet disallow present-oldsnippet", "1.4 nosnippet disallow present-oldextract"}},
		{"R-MAP-4/max-snippet:0", meta("robots", "max-snippet: 0"),
			[]string{"1.1 max-snippet disallow present-snippet", "1.2 max-snippet disallow present-extract",
				"1.3 max-snippet disallow present-oldsnippet", "1.4 max-snippet disallow present-oldextract"}},
		{"R-MAP-5", meta("robots", "max-snippet:20"),
			[]string{"1.1 max-snippet allow present-snippet {max-length=20-chars}"}},
		{"R-MAP-5/blanks around the colon", meta("robots", "max-snippet : 20, nofollow"),
			[]string{"1.1 max-snippet allow present-snippet {max-length=20-chars}", "1.2 nofollow disallow follow"}},
		{"R-MAP-5/no limit", meta("robots", "max-snippet:-1"), []string{"1.1 max-snippet -1 recorded"}},
		{"R-MAP-5/no number", meta("robots", "max-snippet:few max-snippet"),
			[]string{"1.1 max-snippet few recorded !unknown-directive-value",
				"1.2 max-snippet recorded !unknown-directive-value"}},
		{"R-MAP-6", meta("robots", "max-image-preview:NONE"),
			[]string{"1.1 max-image-preview disallow present-thumbnail"}},
		{"R-MAP-6/standard, large", meta("robots",
			"max-image-preview:standard, max-image-preview:large, max-image-preview:huge"),
			[]string{"1.1 max-image-preview standard recorded", "1.2 max-image-preview large recorded",
				"1.3 max-image-preview huge recorded !unknown-directive-value"}},
		{"R-MAP-7", meta("robots", "notranslate"),
			[]string{"1.1 notranslate allow present {prohibited-modification=translation}"}},
		{"R-MAP-9", meta("robots", "noodp, noydir, noimageindex, indexifembedded, max-video-preview:5, wat"), []string{
			"1.1 noodp recorded", "1.2 noydir recorded", "1.3 noimageindex recorded", "1.4 indexifembedded recorded",
			"1.5 max-video-preview 5 recorded", "1.6 wat recorded !unknown-directive"}},
		{"R-META-1/ACAP is not conventional", meta("robots", " \u00a0acap\tallow-index"), nil},
		{"R-META-1/a no-break space behind the token", meta("robots", "ACAP\u00a0allow-index"), nil},
		{"R-META-1/the token alone", meta("robots", "ACAP"), nil},
		{"R-META-1/another word", meta("robots", "ACAPULCO noindex"),
			[]string{"1.1 acapulco recorded !unknown-directive", "1.2 noindex disallow index"}},
		{"R-META-2/typographic quotes", quoted, []string{"1.1 noindex disallow index repaired !smart-quotes"}},
		{"no name", meta(" ", "noindex"), nil},
		{"nothing said", meta("robots", " , "), nil},

		{"R-HDR-1/any", header("noindex, nofollow"),
			[]string{"1.1 noindex disallow index", "1.2 nofollow disallow follow"}},
		{"R-HDR-1/an agent", header("googlebot: noindex, nofollow"),
			[]string{"1.1 noindex disallow index [googlebot]", "1.2 nofollow disallow follow [googlebot]"}},
		{"R-HDR-1/a blank before the colon", header(" googlebot : noindex"),
			[]string{"1.1 noindex disallow index [googlebot]"}},
		{"R-HDR-1/to the end of the field", header("a: noindex, b: nofollow"),
			[]string{"1.1 noindex disallow index [a]", "1.2 b [a] recorded !unknown-directive",
				"1.3 nofollow disallow follow [a]"}},
		{"R-HDR-1/a rule with a value is no agent", header("Max-Snippet: 5, noindex"),
			[]string{"1.1 max-snippet allow present-snippet {max-length=5-chars}", "1.2 noindex disallow index"}},
		{"R-HDR-1/nor behind another", header("noindex, max-snippet:5"),
			[]string{"1.1 noindex disallow index", "1.2 max-snippet allow present-snippet {max-length=5-chars}"}},
		{"R-HDR-1/an agent and a rule with a value", header("otherbot: max-snippet:5"),
			[]string{"1.1 max-snippet allow present-snippet [otherbot] {max-length=5-chars}"}},
		{"R-HDR-1/any by name", header("*: noindex"), []string{"1.1 noindex disallow index"}},
		{"another field", policy.Markup{Source: policy.HTTPHeader, Name: "X-Other", Value: "noindex"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &policy.Page{}
			ReadPage([]policy.Markup{test.markup}, besideACAP, p)
			if diff := cmp.Diff(test.want, showAll(p.Statements)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnavailableAfter(t *testing.T) {
	const day = "2010-06-25"
	for _, test := range []struct{ date, want string }{
		{"25 Jun 2010 15:00:00 PST", day}, {"25 Jun 2010 16:00:00 PST", "2010-06-26"},
		{"25 Jun 2010 23:59:59 GMT", day}, {"25 Jun 2010", day},
		{"Fri, 25 Jun 2010 15:00:00 GMT", day}, {"Fri, 25 Jun 10 15:00:00 GMT", day},
		{"25 Jun 2010 23:30:00 -0700", "2010-06-26"}, {"5 Jun 2010 01:00 EST", "2010-06-05"},
		{"Friday, 25-Jun-10 15:00:00 PST", day}, {"25-Jun-2010 15:00:00 EST", day}, {"25-Jun-2010", day},
		{"friday,25-Jun-10 20:00:00 EST", "2010-06-26"},
		{"2010-06-25", day}, {"2010-06-25T15:00:00Z", day}, {"2010-06-25T23:00:00-07:00", "2010-06-26"},
		{"2010-06-25T15:00:00.5+00:00", day},
		{"2010-06-25 15:00:00", day}, {"20100625T150000Z", day},
		{"soon", ""}, {"", ""}, {"31 Feb 2010", ""}, {"2010-13-01", ""}, {strings.Repeat("1", 100), ""},
	} {
		for _, form := range []struct{ before, after, tail string }{
			{"", "", ""}, {"noarchive, ", ", nofollow", "nofollow"}, {"noarchive ", " nofollow", "nofollow"},
			{"", ",max-snippet:5", "max-snippet"}, {"", " ; notranslate", "notranslate"},
		} {
			if test.date == "" && form.after != "" {
				continue
			}
			p := &policy.Page{}
			ReadPage([]policy.Markup{meta("robots", form.before+"Unavailable_After: "+test.date+form.after)}, Options{},
				p)
			var usages []policy.Usage
			bad, tail := false, form.tail == ""
			for _, st := range p.Statements {
				tail = tail || st.Field == form.tail
				if st.Field != "unavailable_after" {
					continue
				}
				bad = bad || st.HasDefect(policy.DefectUnknownDirectiveV)
				for _, q := range st.Qualifiers {
					if q.Value != "until-"+test.want || q.Name != policy.TimeLimit {
						t.Errorf("R-MAP-8/%q %q: got %s", test.date, form.after, q.Value)
					}
					usages = append(usages, st.Usage)
				}
			}
			want := []policy.Usage{policy.Index, policy.Present}
			if test.want == "" {
				want = nil
			}
			if diff := cmp.Diff(want, usages); diff != "" || bad != (want == nil) || !tail {
				t.Errorf("R-MAP-8/%q then %q: %v, its tail read: %v %s", test.date, form.after, showAll(p.Statements),
					tail, diff)
			}
		}
	}
}

func TestReadPI(t *testing.T) {
	late := pi(` index="no" follow="no"`)
	late.Late = true
	for _, test := range []struct {
		name   string
		html   bool
		markup []policy.Markup
		want   []string
	}{
		{"S1/yes yes", false, []policy.Markup{pi(` index="yes" follow="yes"`)},
			[]string{"1.1 robots allow index", "1.2 robots allow follow"}},
		{"S1/no yes", false, []policy.Markup{pi(` index="no" follow="yes"`)},
			[]string{"1.1 robots disallow index", "1.2 robots allow follow"}},
		{"S1/yes no", false, []policy.Markup{pi(` index="yes" follow="no"`)},
			[]string{"1.1 robots allow index", "1.2 robots disallow follow"}},
		{"S1/no no, white space", false, []policy.Markup{pi("\r\n\tindex=\"no\"\n follow=\"no\"")},
			[]string{"1.1 robots disallow index", "1.2 robots disallow follow"}},
		{"R-PI-1/a blank at the end", false, []policy.Markup{pi(` index="no" follow="no" `)},
			[]string{"1.1 robots disallow index repaired !pi-trailing-space",
				"1.2 robots disallow follow repaired !pi-trailing-space"}},
		{"R-PI-1/after text", false, []policy.Markup{late},
			[]string{"1.1 robots disallow index !pi-late", "1.2 robots disallow follow !pi-late"}},
		{"S1/the first legal one", false, []policy.Markup{pi(` follow="no" index="no"`),
			pi(` index="yes" follow="yes"`), pi(` index="no" follow="no"`)},
			[]string{"1.1 robots invalid !pi-syntax", "1.1 robots allow index", "1.2 robots allow follow",
				"1.1 robots disallow index ignored", "1.2 robots disallow follow ignored"}},
		{"S1/illegal forms", false, []policy.Markup{pi(` index="no"`), pi(` index='no' follow='no'`),
			pi(` index="NO" follow="no"`), pi(` index = "no" follow="no"`),
			pi(` index="no"follow="no"`), pi(` index="no" follow="no" archive="no"`), pi(``)},
			[]string{"1.1 robots invalid !pi-syntax", "1.1 robots invalid !pi-syntax",
				"1.1 robots invalid !pi-syntax", "1.1 robots invalid !pi-syntax", "1.1 robots invalid !pi-syntax",
				"1.1 robots invalid !pi-syntax", "1.1 robots invalid !pi-syntax"}},
		{"R-PI-1/in HTML", true, []policy.Markup{pi(` index="no" follow="no"`), pi(` index="no"`)},
			[]string{"1.1 robots disallow index recorded", "1.2 robots disallow follow recorded",
				"1.1 robots recorded !pi-syntax"}},
		{"S1/XML names know case", false, []policy.Markup{{Source: policy.PI, Offset: 1, Name: "ROBOTS",
			Value: `index="no" follow="no"`, Raw: `<?ROBOTS index="no" follow="no"?>`}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &policy.Page{XML: !test.html}
			ReadPage(test.markup, Options{}, p)
			if diff := cmp.Diff(test.want, showAll(p.Statements)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A repair that is refused leaves its statement invalid; a PI that needs one is none of the legal forms.
func TestReadPageRefuses(t *testing.T) {
	quoted := meta("robots", "noindex, noodp")
	quoted.SmartQuotes = true
	markup := []policy.Markup{quoted, pi(` index="no" follow="no" `), pi(` index="yes" follow="no"`)}
	for _, test := range []struct {
		refused policy.Defect
		want    []string
	}{
		{policy.DefectMissingColon, []string{"1.1 noindex disallow index repaired !smart-quotes",
			"1.2 noodp recorded !smart-quotes",
			"1.1 robots disallow index repaired !pi-trailing-space",
			"1.2 robots disallow follow repaired !pi-trailing-space",
			"1.1 robots allow index ignored", "1.2 robots disallow follow ignored"}},
		{policy.DefectSmartQuotes, []string{"1.1 noindex disallow index invalid !smart-quotes",
			"1.2 noodp recorded !smart-quotes",
			"1.1 robots disallow index repaired !pi-trailing-space",
			"1.2 robots disallow follow repaired !pi-trailing-space",
			"1.1 robots allow index ignored", "1.2 robots disallow follow ignored"}},
		{policy.DefectPITrailingSpace, []string{"1.1 noindex disallow index repaired !smart-quotes",
			"1.2 noodp recorded !smart-quotes",
			"1.1 robots disallow index invalid !pi-trailing-space",
			"1.2 robots disallow follow invalid !pi-trailing-space",
			"1.1 robots allow index", "1.2 robots disallow follow"}},
	} {
		t.Run(string(test.refused), func(t *testing.T) {
			p := &policy.Page{XML: true}
			ReadPage(markup, Options{Refuse: []policy.Defect{test.refused}}, p)
			if diff := cmp.Diff(test.want, showAll(p.Statements)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzReadPage(f *testing.F) {
	f.Add("robots", "noindex, unavailable_after: Fri, 25 Jun 2010 15:00:00 PST, max-snippet: 5", uint8(0))
	f.Add("x-robots-tag", "googlebot: none; max-image-preview:none", uint8(1))
	f.Add("robots", `index="no" follow="yes" `, uint8(2))
	f.Fuzz(func(t *testing.T, name, value string, source uint8) {
		sources := []policy.Source{policy.Meta, policy.HTTPHeader, policy.PI, policy.Class}
		p := &policy.Page{XML: source&4 != 0}
		m := policy.Markup{Source: sources[source%4], Name: name, Value: value, Raw: value}
		ReadPage([]policy.Markup{m, m}, Options{}, p)
		for _, st := range p.Statements {
			if st.Status.Decides() != (st.Sense != policy.NoSense) && st.Source != policy.PI || len(st.Agents) != 1 ||
				st.Part < 1 {
				t.Errorf("got %s", show(st))
			}
			for _, q := range st.Qualifiers {
				if defects := q.Check(st.Usage, st.Source); len(defects) > 0 {
					t.Errorf("%s: %v", show(st), defects)
				}
			}
		}
	})
}
