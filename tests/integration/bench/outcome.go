package bench

import (
	"errors"
	"fmt"
	"strings"
)

// Outcome is what a run says of itself and of the contract.
type Outcome struct {
	Claims   []Claim  `json:"claims"`
	Missing  []string `json:"missing"`  // planned and not measured
	Troubles []string `json:"troubles"` // why
	Notes    []string `json:"notes"`    // what could not be measured here, and fails nothing
}

func (o *Outcome) outcome() *Outcome { return o }

// settle judges what there is, and names what is missing. Lists are empty and
// not null, for whoever reads the JSON.
func (o *Outcome) settle(claims []Claim, planned []string, done map[string]bool) {
	o.Claims = claims
	o.Missing = []string{}
	for _, name := range planned {
		if !done[name] {
			o.Missing = append(o.Missing, name)
		}
	}
	o.Troubles = append([]string{}, o.Troubles...)
	o.Notes = append([]string{}, o.Notes...)
}

// incomplete is the error of a run that has failed or lacks something.
func (o *Outcome) incomplete() error {
	if len(o.Missing) == 0 && len(o.Troubles) == 0 {
		return nil
	}
	text := fmt.Sprintf("%d figures are missing", len(o.Missing))
	if len(o.Missing) > 0 {
		text += ", the first is " + o.Missing[0]
	}
	for _, t := range o.Troubles {
		text += "\n" + t
	}
	return errors.New(text)
}

// broken is the error of a run that has found the contract broken.
func (o *Outcome) broken() error {
	var texts []string
	for _, c := range o.Claims {
		if c.Result == fails {
			texts = append(texts, fmt.Sprintf("%s does not hold: %s: %s", c.Rule, c.Text, c.Detail))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return fmt.Errorf("%s\nnext: the figures marked (!), run alone on a quiet machine: make bench", strings.Join(texts, "\n"))
}

// parts are those of the table's last parts.
func (o *Outcome) parts() []part {
	var claims [][]string
	for _, c := range o.Claims {
		claims = append(claims, []string{c.Result, c.Rule, c.Text})
		if c.Detail != "" {
			claims = append(claims, []string{"", "", c.Detail})
		}
	}
	return []part{{"Claims", claims}, {"Missing", column(o.Missing)}, {"Failed", column(o.Troubles)}, {"Notes", column(o.Notes)}}
}
