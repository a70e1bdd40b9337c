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

	"github.com/acapscan/acapscan/internal/storage"
)

// A plan may have millions of inputs: its text is written and read in pieces.

// maxPlan bounds what the inputs of a plan take, each by lengthOf, written or read: ten million, the most that a run has, with names as long as
// keys of S3 may be.
const maxPlan = 16 << 30

// lengthOf is about how many bytes an input takes in a plan.
func lengthOf(in *PlannedInput) int64 { return int64(len(in.Name) + len(in.Records) + 100) }

// errLongPlan tells of a plan that is longer than maxPlan.
var errLongPlan = fmt.Errorf("the names of the inputs take more than %d bytes", int64(maxPlan))

// checkLength refuses a plan that could not be read again, before anything is written.
func (p *Plan) checkLength() error {
	left := int64(maxPlan)
	for i := range p.Inputs {
		if left -= lengthOf(&p.Inputs[i]); left < 0 {
			return fmt.Errorf("a plan of %d inputs is too long: %w; take fewer at a time", len(p.Inputs), errLongPlan)
		}
	}
	return nil
}

// noInputs is how storage.EncodePlan writes a plan without inputs. In no string of it are quotation marks like these.
const noInputs = `"inputs": []`

// encodePlan writes what storage.EncodePlan gives.
func encodePlan(w io.Writer, p Plan) error {
	inputs := p.Inputs
	p.Inputs = []PlannedInput{}
	text, err := storage.EncodePlan(p)
	if err != nil {
		return err
	}
	if len(inputs) == 0 {
		_, err := w.Write(text)
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	before, after, _ := bytes.Cut(text, []byte(noInputs))
	out.Write(before)
	out.WriteString(`"inputs": [`)
	for i, in := range inputs {
		if i > 0 {
			out.WriteByte(',')
		}
		one, err := json.MarshalIndent(in, "    ", "  ")
		if err != nil {
			return err
		}
		out.WriteString("\n    ")
		out.Write(one)
	}
	out.WriteString("\n  ]")
	out.Write(after)
	return out.Flush() // with the first error of all that was written
}

// stagePlan writes a plan to a stage, and returns its name there.
func stagePlan(stage *storage.Stage, p Plan) (name string, err error) {
	file, err := os.Create(stage.Path(PlanFile))
	if err != nil {
		return "", err
	}
	return PlanFile, errors.Join(encodePlan(file, p), file.Close())
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
	return decodePlan(name, file, like)
}

// readPlanOf reads the plan in a store, as readPlanLike does.
func readPlanOf(store storage.Store, like []PlannedInput) (*Plan, error) {
	in, err := store.Stream(PlanFile)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return decodePlan(store.String()+"/"+PlanFile, in, like)
}

func decodePlan(name string, in io.Reader, like []PlannedInput) (*Plan, error) {
	plan, err := decodeFields(json.NewDecoder(bufio.NewReaderSize(in, 1<<16)), like)
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
	left := int64(maxPlan)
	for i := 0; in.More(); i++ {
		var next PlannedInput
		if err := in.Decode(&next); err != nil {
			return nil, err
		}
		if left -= lengthOf(&next); left < 0 {
			return nil, errLongPlan
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
