/** The peer of the go-template benchmark. It parses and executes with Go's own package, as upstream does. */
export const GO_PROGRAM = `package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"text/template"
	"time"
)

type IP struct{ Address, Netmask, Gateway string }

type DHCP struct {
	Hostname    string
	NameServers []string
	IP          *IP
}

type Interface struct{ DHCP *DHCP }

type Hardware struct {
	Disks      []string
	Interfaces []Interface
}

func render(text string, data interface{}) string {
	parsed, err := template.New("workflow-template").Option("missingkey=error").Parse(text)
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, data); err != nil {
		panic(err)
	}
	return out.String()
}

func rate(text string, data interface{}, limit time.Duration) float64 {
	started, count := time.Now(), 0
	for time.Since(started) < limit {
		render(text, data)
		count++
	}
	return float64(count) / time.Since(started).Seconds()
}

func main() {
	text, _ := os.ReadFile(os.Args[1])
	expected, _ := os.ReadFile(os.Args[2])
	seconds, _ := strconv.ParseFloat(os.Args[3], 64)
	dhcp := &DHCP{"machine-0", []string{"10.199.0.1"}, &IP{"10.199.1.0", "255.255.0.0", "10.199.0.2"}}
	hardware := Hardware{[]string{"/dev/nvme0n1"}, []Interface{{dhcp}}}
	data := map[string]interface{}{"device_1": "00:0c:01:02:03:04", "Hardware": hardware}
	if found := render(string(text), data); found != string(expected) {
		fmt.Fprintln(os.Stderr, "text/template renders another text:\\n"+found)
		os.Exit(1)
	}
	rate(string(text), data, 200*time.Millisecond)
	fmt.Println(rate(string(text), data, time.Duration(seconds*float64(time.Second))))
}
`;
