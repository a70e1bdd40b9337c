package policy

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParseAgent(t *testing.T) {
	for _, test := range []struct {
		name, value string
		want        Agent
		clean       bool
	}{
		{"a name", "SearchBot1", "SearchBot1", true},
		{"any", "*", "*", true},
		{"blanks around", " \tBot \t", "Bot", true},
		{"up to the slash", "MSNPTC/1.0", "MSNPTC", false},
		{"up to the blank", "Bot 2", "Bot", false},
		{"up to a line end, as a META may have it", "Bot\n2", "Bot", false},
		{"up to a form feed", "Bot\f2", "Bot", false},
		{"name characters", "a.b-c_d9", "a.b-c_d9", true},
		{"a digit first", "9bot", "9bot", false},
		{"nothing", "  ", "", false},
		{"a slash first", "/1.0", "", false},
		{"any and more", "*/1.0", "*", false},
		{"other bytes", "B\xf6t", "B\xf6t", false},
		{"white space of other scripts is part of the name", "Bot\u3000", "Bot\u3000", false},
	} {
		t.Run("R-AGENT-1/"+test.name, func(t *testing.T) {
			if got, clean := ParseAgent(test.value); got != test.want || clean != test.clean {
				t.Errorf("got %q, %v", got, clean)
			}
		})
	}
}

func TestAgentIs(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b Agent
		want bool
	}{
		{"case", "SearchBot1", "searchBOT1", true},
		{"digits kept", "SearchBot1", "SearchBot2", false},
		{"compared whole", "SearchBot", "SearchBot1", false},
		{"ASCII case only", "B\u00d6T", "B\u00f6t", false},
		{"ASCII case only, letters that fold to ASCII", "\u212a\u212ak", "\u212ak\u212a", false},
		{"other bytes", "B\xf6t", "b\xf6T", true},
	} {
		t.Run("R-AGENT-1/"+test.name, func(t *testing.T) {
			if got := test.a.Is(test.b); got != test.want {
				t.Errorf("got %v", got)
			}
			if got := test.a.Key() == test.b.Key(); got != test.want {
				t.Errorf("the keys are the same: %v", got)
			}
		})
	}
}

func TestPurposeFits(t *testing.T) {
	for _, test := range []struct {
		pattern       Purpose
		purpose       string
		fits, general bool
	}{
		{"*", "", true, true}, {"*", "news", true, true}, {"**$", "", true, true},
		{"news", "news", true, false}, {"news", "NEWS", true, false}, {"news", "newsy", false, false},
		{"news", "anews", false, false}, {"news", "", false, false},
		{"news$", "news", true, false}, {"news*", "news", true, false}, {"news*", "news.x", true, false},
		{"*news", "fakenews", true, false},
		{"a*b*c", "abbc", true, false}, {"a*b*c", "acb", false, false}, {"$", "", false, false}, {"", "", false, false},
		{"\u00c9", "\u00e9", false, false},
	} {
		t.Run("R-PURP-1/"+string(test.pattern)+" "+test.purpose, func(t *testing.T) {
			if got := test.pattern.Fits(test.purpose); got != test.fits {
				t.Errorf("fits: got %v", got)
			}
			if got := test.pattern.General(); got != test.general {
				t.Errorf("general: got %v", got)
			}
		})
	}
}

func TestPurposesMeet(t *testing.T) {
	for _, test := range []struct{ p, q, want Purpose }{
		{"news-*", "*-uk", "news-uk"}, {"*-UK$", "News-*", "news-uk"}, {"news*", "*news", "news"},
		{"ab*", "*ba", "aba"}, {"a*c", "*b*", "abc"},
		{"news", "news", "news"}, {"news", "n*", "news"}, {"*a*", "*b*", "ab"}, {"news-*", "sport-*", ""},
		{"news", "sport", ""}, {"*x", "*y", ""},
		{"*", "*", ""}, {"*", "a", "a"}, {"a*a", "a", ""}, {"a*a", "*", "aa"}, {"", "", ""},
		{Purpose(strings.Repeat("a", 2000)) + "*", Purpose(strings.Repeat("a", 2000)) + "*", ""}, // too long to tell
	} {
		example, ok := test.p.Meets(test.q)
		if ok != (test.want != "") || len(example) != len(test.want) ||
			ok && !(test.p.Fits(example) && test.q.Fits(example)) {
			t.Errorf("%.20s and %.20s: %q, %v, want %q", test.p, test.q, example, ok, test.want)
		}
	}
}

// A string that both patterns fit is found where there is one, and none is shorter.
func TestPurposesMeetShortest(t *testing.T) {
	words := []string{""}
	for n := 0; len(words[n]) < 8; n++ {
		words = append(words, words[n]+"a", words[n]+"b")
	}
	r := rand.New(rand.NewPCG(1, 2))
	random := func() Purpose {
		text := make([]byte, 1+r.IntN(5))
		for i := range text {
			text[i] = "aab**"[r.IntN(5)]
		}
		return Purpose(text)
	}
	for range 3000 {
		p, q := random(), random()
		shortest := ""
		for _, word := range words[1:] { // in order of length
			if p.Fits(word) && q.Fits(word) {
				shortest = word
				break
			}
		}
		if p.General() && q.General() {
			shortest = ""
		}
		example, ok := p.Meets(q)
		if ok != (shortest != "") || len(example) != len(shortest) || ok && !(p.Fits(example) && q.Fits(example)) {
			t.Fatalf("%s and %s: %q, %v, want %q", p, q, example, ok, shortest)
		}
	}
}

func TestReadAgentWithout(t *testing.T) {
	without := RuleSet{}.With(RuleAgentName)
	for _, test := range []struct {
		value string
		want  Agent
		clean bool
	}{{" MSNPTC/1.0 ", "MSNPTC/1.0", true}, {"two words", "two words", true}, {"*", AnyAgent, true}, {" ", "", false}} {
		if got, clean := ReadAgent(test.value, without); got != test.want || clean != test.clean {
			t.Errorf("%q: %q, %v", test.value, got, clean)
		}
	}
	if got, clean := ReadAgent("MSNPTC/1.0", RuleSet{}); got != "MSNPTC" || clean {
		t.Errorf("with the rule: %q, %v", got, clean)
	}
}
