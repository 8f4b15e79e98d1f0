//go:build ignore

// Writes vectors.json from cases.json with the functions upstream gives to templates: text/template, sprig's
// hermetic functions, sigs.k8s.io/yaml and distribution/reference. In a scratch module:
//
//	go mod init scratch && go get github.com/Masterminds/sprig/v3 sigs.k8s.io/yaml github.com/distribution/reference
//	go run generate.go
//
// Last made with go1.26, sprig v3.3.0, sigs.k8s.io/yaml v1.6.0. The tests read vectors.json and do not need Go.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/distribution/reference"
	"sigs.k8s.io/yaml"
)

type Case struct {
	Template string  `json:"template"`
	Output   *string `json:"output,omitempty"`
	Error    *string `json:"error,omitempty"`
}

type Image struct {
	Image   string  `json:"image"`
	Problem *string `json:"problem,omitempty"`
}

func ptr[T any](v T) *T { return &v }

func functions() template.FuncMap {
	m := sprig.HermeticTxtFuncMap()
	m["formatPartition"] = func(dev string, n int) string {
		switch {
		case strings.HasPrefix(dev, "/dev/disk/"):
			return fmt.Sprint(dev, "-part", n)
		case len(dev) > 0 && strings.ContainsAny(dev[len(dev)-1:], "0123456789"):
			return fmt.Sprintf("%sp%d", dev, n)
		}
		return fmt.Sprintf("%s%d", dev, n)
	}
	m["netmaskToPrefixLength"] = func(s string) (string, error) {
		ip := net.ParseIP(s)
		if ip == nil {
			return "", fmt.Errorf("invalid netmask format: %s", s)
		}
		if ip.To4() == nil {
			return "", fmt.Errorf("netmask must be IPv4: %s", s)
		}
		ones, _ := net.IPMask(ip.To4()).Size()
		return strconv.Itoa(ones), nil
	}
	m["toYaml"] = func(v any) (string, error) {
		b, err := yaml.Marshal(v)
		return strings.TrimSuffix(string(b), "\n"), err
	}
	m["fromYaml"] = func(s string) (out any, err error) {
		if s == "" {
			return nil, errors.New("fromYaml: empty YAML input")
		}
		err = yaml.Unmarshal([]byte(s), &out)
		return
	}
	return m
}

func main() {
	raw, err := os.ReadFile("cases.json")
	check(err)
	var input struct {
		Data   map[string]any `json:"data"`
		Cases  []Case         `json:"cases"`
		Images []Image        `json:"images"`
	}
	check(json.Unmarshal(raw, &input))
	for i := range input.Cases {
		c := &input.Cases[i]
		t, err := template.New("t").Option("missingkey=error").Funcs(functions()).Parse(c.Template)
		var b strings.Builder
		if err == nil {
			err = t.Execute(&b, input.Data)
		}
		if err != nil {
			c.Error = ptr(err.Error())
		} else {
			c.Output = ptr(string([]rune(b.String())))
		}
		check(json.Unmarshal(raw, &struct {
			Data *map[string]any `json:"data"`
		}{&input.Data}))
	}
	for i := range input.Images {
		if _, err := reference.ParseNormalizedNamed(input.Images[i].Image); err != nil {
			input.Images[i].Problem = ptr(err.Error())
		}
	}
	out, err := os.Create("vectors.json")
	check(err)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	check(encoder.Encode(input))
	check(out.Close())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
