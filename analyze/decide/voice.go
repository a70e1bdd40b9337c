package decide

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// A voice is what the statements of one vocabulary in the robots.txt decide alone.
type voice struct {
	vocabulary policy.Vocabulary
	Partial
}

// voices appends what each vocabulary of the robots.txt decides alone about a usage: of ACAP's usages ACAP and the
// conventional rules, of AI preferences each vocabulary whose statements stand in groups.
func (v *View) voices(q Question, all []voice) []voice {
	if q.Usage.Family() != terms.FamilyAI {
		return append(all, voice{policy.ACAP, v.robotsACAP(q)}, voice{policy.REP, v.robotsREP(q, anything)})
	}
	for _, same := range v.at(q.Path).groups {
		all = append(all, voice{same[0].Statement.Vocabulary, v.robotsPreference(same, q)})
	}
	return all
}

// manyVoices is room for the voices of most files.
const manyVoices = 4

// together decides by all voices of the robots.txt.
func (v *View) together(voices []voice, q Question) (p Partial) {
	if q.Usage.Family() != terms.FamilyAI {
		acap, rep := voices[0].Partial, voices[1].Partial
		return v.both(&acap, &rep, q)
	}
	parts := make([]Partial, len(voices))
	for i := range voices {
		parts[i] = voices[i].Partial
	}
	return v.weigh(parts...)
}

// alone decides by the statements of one vocabulary in the robots.txt.
func (v *View) alone(vocabulary policy.Vocabulary, q Question) Partial {
	cached := v.cachedFor(q).voices
	i := slices.IndexFunc(cached, func(one voice) bool { return one.vocabulary == vocabulary })
	if i < 0 {
		return Partial{}
	}
	return cached[i].Partial
}
