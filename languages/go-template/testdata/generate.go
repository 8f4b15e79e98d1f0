//go:build ignore

// Writes vectors.json from cases.json with Go's own text/template:
//
//	go run generate.go
//
// Last made with go1.26. The tests read vectors.json and do not need Go. The values and functions below are
// repeated in ../src/vectors.test.ts.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"
)

type Inner struct {
	A string
	B int64
}

type Item struct {
	Name string
	Size int64
	Opt  *Inner
}

type Sample struct {
	Name    string
	Count   int
	Ratio   float64
	On      bool
	Tags    []string
	NilTags []string
	Labels  map[string]string
	NilMap  map[string]string
	Inner   Inner
	Ptr     *Inner
	NilPtr  *Inner
	PStr    *string
	PBool   *bool
	NilBool *bool
	Items   []Item
	U8      uint8
	Any     any
	NilAny  any
}

type Case struct {
	Group      string `json:"group"`
	Template   string `json:"template"`
	MissingKey string `json:"missingKey,omitempty"`
	Output     *string `json:"output,omitempty"`
	Error      *string `json:"error,omitempty"`
}

func ptr[T any](v T) *T { return &v }

func sample() Sample {
	return Sample{
		Name: "sam", Count: 3, Ratio: 0.5, On: true, Tags: []string{"x", "y"},
		Labels: map[string]string{"k2": "v2", "k1": "v1"},
		Inner:  Inner{"in", 7}, Ptr: &Inner{"p", 9}, PStr: ptr("text"), PBool: ptr(false),
		Items: []Item{{"one", 1, nil}, {"two", 2, &Inner{"opt", 5}}}, U8: 200, Any: "any",
	}
}

var functions = template.FuncMap{
	"add":     func(a, b int) int { return a + b },
	"greet":   func(name string, rest ...string) string { return name + "(" + strings.Join(rest, ",") + ")" },
	"failing": func(message string) (string, error) { return "", errors.New(message) },
	"flag":    func(b bool) string { return fmt.Sprint(b) },
	"half":    func(f float64) float64 { return f / 2 },
	"size":    func(m map[string]any) int { return len(m) },
	"strs":    func(l []string) string { return strings.Join(l, "+") },
	"kind":    func(v any) string { return fmt.Sprintf("%T", v) },
	"i64":     func(n int64) int64 { return n },
	"u8":      func(n uint8) uint8 { return n },
	"adder":   func() func(int, int) int { return func(a, b int) int { return a + b } },
	"noargs":  func() string { return "none" },
	"list":    func(v ...any) []any { return v },
	"dict": func(v ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i+1 < len(v); i += 2 {
			m[fmt.Sprint(v[i])] = v[i+1]
		}
		return m
	},
}

func main() {
	raw, err := os.ReadFile("cases.json")
	check(err)
	var input struct {
		Data  map[string]any `json:"data"`
		Cases []Case         `json:"cases"`
	}
	check(json.Unmarshal(raw, &input))
	s := sample()
	input.Data["S"] = s
	input.Data["SP"] = &s
	input.Data["NilS"] = (*Sample)(nil)
	for i := range input.Cases {
		run(&input.Cases[i], input.Data)
	}
	delete(input.Data, "S")
	delete(input.Data, "SP")
	delete(input.Data, "NilS")
	out, err := os.Create("vectors.json")
	check(err)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	check(encoder.Encode(input))
	check(out.Close())
}

func run(c *Case, data map[string]any) {
	t := template.New("t").Funcs(functions)
	if c.MissingKey != "" {
		t = t.Option("missingkey=" + c.MissingKey)
	}
	t, err := t.Parse(c.Template)
	var b strings.Builder
	if err == nil {
		err = t.Execute(&b, data)
	}
	if err != nil {
		c.Error = ptr(err.Error())
	} else {
		c.Output = ptr(string([]rune(b.String())))
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
