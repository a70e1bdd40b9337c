package facts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/acapscan/acapscan/output/commit"
)

// A plan may have millions of inputs: its text is made in one buffer, and read without one.

// noInputs is how commit.EncodePlan writes a plan without inputs. In no string of it are quotation marks like these.
const noInputs = `"inputs": []`

// encodePlan is commit.EncodePlan, in the memory of the text alone.
func encodePlan(p Plan) ([]byte, error) {
	inputs := p.Inputs
	p.Inputs = []PlannedInput{}
	text, err := commit.EncodePlan(p)
	if err != nil || len(inputs) == 0 {
		return text, err
	}
	size := len(text)
	for _, in := range inputs {
		size += len(in.Name) + len(in.Records) + 100
	}
	before, after, _ := bytes.Cut(text, []byte(noInputs))
	b := bytes.NewBuffer(make([]byte, 0, size))
	b.Write(before)
	b.WriteString(`"inputs": [`)
	for i, in := range inputs {
		if i > 0 {
			b.WriteByte(',')
		}
		one, err := json.MarshalIndent(in, "    ", "  ")
		if err != nil {
			return nil, err
		}
		b.WriteString("\n    ")
		b.Write(one)
	}
	b.WriteString("\n  ]")
	b.Write(after)
	return b.Bytes(), nil
}

// ReadPlan reads the plan of a folder. The error wraps fs.ErrNotExist where there is none.
func ReadPlan(folder string) (*Plan, error) { return readPlanLike(folder, nil) }

// readPlanLike is ReadPlan for a plan whose inputs are probably these: then it takes their names, and no memory for its own.
func readPlanLike(folder string, like []PlannedInput) (*Plan, error) {
	name := filepath.Join(folder, PlanFile)
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return decodePlan(name, bufio.NewReaderSize(file, 1<<16), like)
}

// readPlanOf reads the plan in a store, as readPlanLike does.
func readPlanOf(store commit.Store, like []PlannedInput) (*Plan, error) {
	text, err := store.Read(PlanFile)
	if err != nil {
		return nil, err
	}
	return decodePlan(store.String()+"/"+PlanFile, bytes.NewReader(text), like)
}

func decodePlan(name string, in io.Reader, like []PlannedInput) (*Plan, error) {
	plan, err := decodeFields(json.NewDecoder(in), like)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return plan, nil
}

// decodeFields decodes the fields of a plan, its inputs one by one.
func decodeFields(in *json.Decoder, like []PlannedInput) (*Plan, error) {
	if err := expect(in, json.Delim('{')); err != nil {
		return nil, err
	}
	var inputs []PlannedInput
	others := map[string]json.RawMessage{}
	for in.More() {
		field, err := in.Token()
		if err != nil {
			return nil, err
		}
		if field == "inputs" {
			inputs, err = decodeInputs(in, like)
		} else {
			var value json.RawMessage
			err = in.Decode(&value)
			others[field.(string)] = value // the decoder takes no other for the name of a field
		}
		if err != nil {
			return nil, err
		}
	}
	if err := expect(in, json.Delim('}')); err != nil {
		return nil, err
	}
	if _, err := in.Token(); err != io.EOF {
		return nil, errors.New("there is something behind its end")
	}
	text, err := json.Marshal(others)
	if err != nil {
		return nil, err
	}
	plan := new(Plan)
	err = json.Unmarshal(text, plan)
	plan.Inputs = inputs
	return plan, err
}

func decodeInputs(in *json.Decoder, like []PlannedInput) ([]PlannedInput, error) {
	if err := expect(in, json.Delim('[')); err != nil {
		return nil, err
	}
	inputs := make([]PlannedInput, 0, len(like))
	for i := 0; in.More(); i++ {
		var next PlannedInput
		if err := in.Decode(&next); err != nil {
			return nil, err
		}
		if i < len(like) && next.Name == like[i].Name {
			next.Name = like[i].Name
		}
		inputs = append(inputs, next)
	}
	return inputs, expect(in, json.Delim(']'))
}

// expect reads a token.
func expect(in *json.Decoder, want json.Delim) error {
	got, err := in.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && got != want {
		err = fmt.Errorf("%v where %v is expected", got, want)
	}
	return err
}
