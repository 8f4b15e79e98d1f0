// Command marshal turns Kubernetes objects between JSON and protobuf as Go's own serializers do. Each line of its input is
// {"json": object} or {"protobuf": base64}; each line of its output is the other form.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	extensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

type line struct {
	JSON     json.RawMessage `json:"json,omitempty"`
	Protobuf []byte          `json:"protobuf,omitempty"`
	Error    string          `json:"error,omitempty"`
}

func main() {
	types := scheme.Scheme
	must(extensions.AddToScheme(types))
	must(metav1.AddMetaToScheme(types))
	asJSON := jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, types, types, jsonserializer.SerializerOptions{})
	asProtobuf := protobuf.NewSerializer(types, types)
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 64<<20)
	for input.Scan() {
		var asked line
		must(json.Unmarshal(input.Bytes(), &asked))
		answer := line{}
		if asked.Protobuf == nil {
			text, err := turned(asked.JSON, asJSON, asProtobuf)
			answer.Protobuf = text
			answer.Error = said(err)
		} else {
			text, err := turned(asked.Protobuf, asProtobuf, asJSON)
			answer.JSON = bytes.TrimSpace(text)
			answer.Error = said(err)
		}
		out, err := json.Marshal(answer)
		must(err)
		fmt.Println(string(out))
	}
}

func turned(from []byte, decoder runtime.Decoder, encoder runtime.Encoder) ([]byte, error) {
	object, _, err := decoder.Decode(from, nil, nil)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = encoder.Encode(object, &out)
	return out.Bytes(), err
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
