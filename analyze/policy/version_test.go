package policy

import "testing"

func TestVersion(t *testing.T) {
	for _, test := range []struct {
		text                  string
		ok                    bool
		pilot, has11, unknown bool
	}{
		{text: "1.0", ok: true}, {text: " 1 ", ok: true}, {text: "1.0.9", ok: true}, {text: "1.", ok: true},
		{text: "1.1", ok: true, has11: true}, {text: "1.1.3", ok: true, has11: true},
		{text: "0.2", ok: true, pilot: true, has11: true},
		{text: "1.2", ok: true, has11: true, unknown: true}, {text: "2", ok: true, has11: true, unknown: true},
		{text: "2.0", ok: true, has11: true, unknown: true},
		{text: ""}, {text: "one"}, {text: "-1"}, {text: "+1.1"}, {text: "1.x"}, {text: "1.+1"}, {text: "1.-1"},
		{text: "99999999999999999999"},
	} {
		t.Run("R-VER-1/"+test.text, func(t *testing.T) {
			v, ok := ParseVersion(test.text)
			if ok != test.ok || v.Stated() != test.ok || v.Pilot() != test.pilot || v.Has11() != test.has11 ||
				v.Unknown() != test.unknown {
				t.Errorf("got %+v, %v: pilot %v, 1.1 %v, unknown %v", v, ok, v.Pilot(), v.Has11(), v.Unknown())
			}
		})
	}
}
