package progress

import "time"

// messageType distinguishes the messages of --progress json.
type messageType string

const (
	messageStage       messageType = "stage"
	messageProgress    messageType = "progress"
	messageInputFailed messageType = "input_failed"
	messageNote        messageType = "note"
	messageDone        messageType = "done"
	messageFailed      messageType = "failed"
)

// The messages of --progress json, as docs/progress.md describes them. A field that is null is not known.
type (
	// stageMessage is of the types stage and progress. It has the part of its stage; neither part between the stages.
	stageMessage struct {
		MessageType messageType `json:"message_type"`
		Time        time.Time   `json:"time"`
		Stage       string      `json:"stage"`
		Seconds     float64     `json:"seconds"`
		SecondsLeft *float64    `json:"seconds_left"`
		*extractMessage
		*analyzeMessage
	}
	extractMessage struct {
		BytesRead         int64  `json:"bytes_read"`
		BytesPassed       int64  `json:"bytes_passed"`
		BytesTotal        *int64 `json:"bytes_total"`
		BytesPerSecond    int64  `json:"bytes_per_second"`
		InputsDone        int64  `json:"inputs_done"`
		InputsTotal       int    `json:"inputs_total"`
		InputsUnreadable  int64  `json:"inputs_unreadable"`
		InputsSizeUnknown int    `json:"inputs_size_unknown"`
		Records           int64  `json:"records"`
		RobotsCaptures    int64  `json:"robots_captures"`
		ACAPPages         int64  `json:"acap_pages"`
	}
	analyzeMessage struct {
		Sites      int64  `json:"sites"`
		SitesTotal *int64 `json:"sites_total"`
	}
	inputFailedMessage struct {
		MessageType messageType `json:"message_type"`
		Time        time.Time   `json:"time"`
		Input       string      `json:"input"`
		Error       string      `json:"error"`
	}
	noteMessage struct {
		MessageType messageType `json:"message_type"`
		Time        time.Time   `json:"time"`
		Text        string      `json:"text"`
	}
	doneMessage struct {
		endMessage
		Seconds float64 `json:"seconds"`
		Outcome
	}
	failedMessage struct {
		endMessage
		Error string `json:"error"`
	}
	endMessage struct {
		MessageType messageType `json:"message_type"`
		Time        time.Time   `json:"time"`
		Verb        string      `json:"verb"`
		ExitStatus  int         `json:"exit_status"`
	}
)

// An Outcome is what a run did.
type Outcome struct {
	BytesRead int64            `json:"bytes_read"`
	Before    bool             `json:"finished_before"`
	Counts    map[string]int64 `json:"counts"`
}

// now is the time of a message, in milliseconds.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
