// Reads a machine configuration from standard input with Talos' own machinery, and validates it for a machine that installs
// Talos on its disk. Prints what is wrong, and exits with 1.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
)

type metal struct{}

func (metal) String() string        { return "metal" }
func (metal) RequiresInstall() bool { return true }
func (metal) InContainer() bool     { return false }

func main() {
	raw, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	configuration, err := configloader.NewFromBytes(raw)
	if err == nil {
		_, err = configuration.Validate(metal{})
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
