package policy

import (
	"slices"
	"testing"
	"time"
)

func TestQualifierCheck(t *testing.T) {
	const (
		none   = Defect("")
		usage  = DefectQualifierNotForUsage
		source = DefectQualifierNotForSource
		value  = DefectUnknownQualifierValue
	)
	for _, test := range []struct {
		name   QualifierName
		value  string
		usage  Usage
		source Source
		want   Defect
	}{
		{TimeLimit, "until-recrawled", Index, RobotsTxt, none}, {TimeLimit, "until-2008-03-01", Preserve, Meta, none},
		{TimeLimit, "14-days", Present, Class, none},
		{TimeLimit, "14-days", Crawl, RobotsTxt, usage}, {TimeLimit, "14-days", PresentSnippet, RobotsTxt, usage},
		{TimeLimit, "14-days", Other, RobotsTxt, usage},
		{TimeLimit, "until-2008-02-30", Index, RobotsTxt, value}, {TimeLimit, "-days", Index, RobotsTxt, value},
		{TimeLimit, "14 days", Index, RobotsTxt, value},
		{TimeLimit, "+14-days", Index, RobotsTxt, value}, {TimeLimit, "", Index, RobotsTxt, value},
		{TimeLimit, "UNTIL-RECRAWLED", Index, RobotsTxt, none},
		{MustUseResource, "/index.txt", Index, RobotsTxt, none},
		{MustUseResource, "the-acap:extract:id:i1", Present, Meta, none},
		{MustUseResource, "the-acap:extract:meta:snippet", PresentSnippet, Meta, none},
		{MustUseResource, "/t.png", PresentThumbnail, RobotsTxt, none},
		{MustUseResource, "/x", PresentExtract, RobotsTxt, usage}, {MustUseResource, "/x", Preserve, RobotsTxt, usage},
		{MustUseResource, "the-acap:extract:name:x", Index, RobotsTxt, value},
		{MustUseResource, "the-acap:extract:id:", Index, RobotsTxt, value},
		{MustIncludeResource, "the-acap:credit:id:by", Present, RobotsTxt, none},
		{MustIncludeResource, "the-acap:icon:http://pub.example/i.png", Present, RobotsTxt, none},
		{MustIncludeResource, "/x", PresentSnippet, RobotsTxt, usage},
		{MustIncludeResource, "the-acap:film:id:x", Present, RobotsTxt, value},
		{MustIncludeResource, "the-acap:text:class:", Present, RobotsTxt, value},
		{MaxLength, "20-words", PresentSnippet, RobotsTxt, none},
		{MaxLength, "100-chars", PresentOldExtract, Meta, none},
		{MaxLength, "20-words", Present, RobotsTxt, usage}, {MaxLength, "20", PresentSnippet, RobotsTxt, value},
		{MaxLength, "20-lines", PresentSnippet, RobotsTxt, value},
		{ProhibitedModification, "any", Present, RobotsTxt, none},
		{ProhibitedModification, "translation", PresentOldCopy, RobotsTxt, none},
		{ProhibitedModification, "style", PresentSnippet, RobotsTxt, usage},
		{ProhibitedModification, "colour", Present, RobotsTxt, value},
		{ProhibitedContext, "within-user-frame", PresentOriginal, RobotsTxt, none},
		{ProhibitedContext, "within-user-frame", Present, RobotsTxt, usage},
		{ProhibitedContext, "within-original-frame", PresentOriginal, RobotsTxt, value},
		{RequiredContext, "within-original-frame", PresentCurrentCopy, RobotsTxt, none},
		{RequiredContext, "within-original-frame", PresentLink, RobotsTxt, usage},
		{Location, "http://pub.example/", Crawl, Meta, none},
		{Location, "http://pub.example/", PresentLink, Meta, none},
		{Location, "http://pub.example/", Crawl, RobotsTxt, source},
		{Location, "http://pub.example/", Crawl, Class, source}, {Location, "", Crawl, Meta, value},
		{TargetCondition, "whatever", Present, RobotsTxt, none}, {TargetCondition, "", PresentLink, RobotsTxt, usage},
		{Ref, "x", Other, RobotsTxt, none}, {Ref, "x", Index, RobotsTxt, usage},
		{"max-size", "3", Index, RobotsTxt, DefectUnknownQualifier},
	} {
		t.Run(
			"R-QUAL-3/"+string(test.name)+" "+test.value+" "+test.usage.String()+" "+test.source.String(),
			func(t *testing.T) {
				var want []Defect
				if test.want != none {
					want = []Defect{test.want}
				}
				if got := (Qualifier{test.name, test.value}).Check(test.usage, test.source); !slices.Equal(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
			},
		)
	}
}

func TestQualifierUntil(t *testing.T) {
	for _, test := range []struct {
		qualifier Qualifier
		want      string
	}{
		{Qualifier{TimeLimit, "until-2008-03-01"}, "2008-03-02T00:00:00Z"},
		{Qualifier{TimeLimit, "Until-2008-12-31"}, "2009-01-01T00:00:00Z"},
		{Qualifier{TimeLimit, "until-2012-02-28"}, "2012-02-29T00:00:00Z"},
		{Qualifier{TimeLimit, "until-2008-3-1"}, ""},
		{Qualifier{TimeLimit, "until-2008-03-01T00:00:00Z"}, ""},
		{Qualifier{TimeLimit, "until-recrawled"}, ""},
		{Qualifier{MaxLength, "until-2008-03-01"}, ""},
	} {
		got, ok := test.qualifier.Until()
		if ok != (test.want != "") || ok && got.Format(time.RFC3339) != test.want {
			t.Errorf("R-DEC-10/%s: got %v, %v", test.qualifier.Value, got, ok)
		}
	}
}
