// Executes templates with Go's text/template and sprig's hermetic functions, for comparison with ours.
//
// Functions of Tinkerbell's own that the public templates use are here too, written from what its documentation says of them.
//
// Reads JSON lines {"template", "data"} and writes one JSON line {"output"} or {"error"} for each. Built with Debian's
// golang-go and golang-github-masterminds-sprig-dev: GO111MODULE=off GOPATH=/usr/share/gocode go build.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
)

type request struct {
	Template string         `json:"template"`
	Data     map[string]any `json:"data"`
}

type response struct {
	Output *string `json:"output,omitempty"`
	Error  *string `json:"error,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	decoder := json.NewDecoder(in)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for decoder.More() {
		var r request
		if err := decoder.Decode(&r); err != nil {
			panic(err)
		}
		text, err := render(r)
		if err != nil {
			message := err.Error()
			_ = encoder.Encode(response{Error: &message})
		} else {
			text = string([]rune(text))
			_ = encoder.Encode(response{Output: &text})
		}
	}
	if err := out.Flush(); err != nil {
		panic(err)
	}
}

var own = template.FuncMap{
	"formatPartition": func(device string, number int) string {
		switch last := device[len(device)-1]; {
		case strings.HasPrefix(device, "/dev/disk/"):
			return fmt.Sprintf("%s-part%d", device, number)
		case last >= '0' && last <= '9':
			return fmt.Sprintf("%sp%d", device, number)
		default:
			return fmt.Sprintf("%s%d", device, number)
		}
	},
	"netmaskToPrefixLength": func(netmask string) string {
		ones, _ := net.IPMask(net.ParseIP(netmask).To4()).Size()
		return fmt.Sprint(ones)
	},
}

// A function's panic is an error of the template, as newer versions of Go have it in every place.
func render(r request) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	t, err := template.New("t").Option("missingkey=error").Funcs(sprig.HermeticTxtFuncMap()).Funcs(own).Parse(r.Template)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, r.Data)
	return b.String(), err
}
