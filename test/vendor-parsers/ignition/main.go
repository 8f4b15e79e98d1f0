// Reads an Ignition configuration from standard input with Ignition's own parser. Prints its report. Exits with 1 for anything
// that Ignition warns of.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/coreos/ignition/v2/config"
)

func main() {
	raw, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	_, report, err := config.Parse(raw)
	fmt.Print(report.String())
	if err != nil {
		fmt.Println(err)
	}
	if err != nil || len(report.Entries) > 0 {
		os.Exit(1)
	}
}
