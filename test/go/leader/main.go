// Command leader takes part in an election by a Lease until it leads, reports it as an Event, and resigns.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
)

func main() {
	kubeconfig, namespace, name, identity := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		panic(err)
	}
	client := kubernetes.NewForConfigOrDie(config)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	events := record.NewBroadcaster()
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(namespace)})
	recorder := events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: identity})
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: name},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity, EventRecorder: recorder},
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock:            lock,
		ReleaseOnCancel: true,
		LeaseDuration:   4 * time.Second,
		RenewDeadline:   3 * time.Second,
		RetryPeriod:     200 * time.Millisecond,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				fmt.Println("leading")
				list, err := client.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
				fmt.Println("configmaps", err == nil && list.ResourceVersion != "", err)
				watched(ctx, client, namespace)
				time.Sleep(time.Second)
				cancel()
			},
			OnStoppedLeading: func() { fmt.Println("resigned") },
			OnNewLeader:      func(leader string) { fmt.Println("leader is", leader) },
		},
	})
	events.Shutdown()
}

// watched writes a ConfigMap and waits until a watch shows it.
func watched(ctx context.Context, client kubernetes.Interface, namespace string) {
	maps := client.CoreV1().ConfigMaps(namespace)
	watch, err := maps.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Println("watch", err)
		return
	}
	defer watch.Stop()
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "seen-"}, BinaryData: map[string][]byte{"b": {0, 255}}}
	made, err = maps.Create(ctx, made, metav1.CreateOptions{})
	if err != nil {
		fmt.Println("create", err)
		return
	}
	for event := range watch.ResultChan() {
		one, ok := event.Object.(*corev1.ConfigMap)
		if ok && one.Name == made.Name {
			fmt.Println("saw", event.Type, len(one.BinaryData["b"]))
			return
		}
	}
}
