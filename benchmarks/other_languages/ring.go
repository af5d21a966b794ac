// The ring in Go: a goroutine per node, a channel per link.
//
//	ring -kind stream -nodes 300 -messages 10000 -capacity 128
//
// A feeder sends the numbers 0, 1, 2 ... when it is told how many; each node forwards them; main checks that all come
// round in order. It prints the seconds from the first message sent to the last one received, as JSON.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"time"
)

func node(inbox <-chan int, outbox chan<- int) {
	for message := range inbox {
		outbox <- message
	}
	close(outbox)
}

func feed(orders <-chan int, outbox chan<- int) {
	for messages := range orders {
		for number := range messages {
			outbox <- number
		}
	}
	close(outbox)
}

// ring starts the feeder and the nodes, and returns the channels that lead to the feeder, to node 1 and from node N.
func ring(nodes, capacity int) (chan<- int, chan<- int, <-chan int) {
	orders, first := make(chan int), make(chan int, capacity)
	go feed(orders, first)
	last := first
	for range nodes {
		next := make(chan int, capacity)
		go node(last, next)
		last = next
	}
	return orders, first, last
}

func stream(orders chan<- int, last <-chan int, messages int) {
	orders <- messages
	for number := range messages {
		check(<-last, number)
	}
}

func token(first chan<- int, last <-chan int, messages int) {
	for number := range messages {
		first <- number
		check(<-last, number)
	}
}

func check(came, due int) {
	if came != due {
		log.Fatalf("message %d came when %d was due", came, due)
	}
}

func main() {
	kind := flag.String("kind", "stream", "stream (all messages under way) or token (one)")
	nodes := flag.Int("nodes", 300, "how many nodes")
	messages := flag.Int("messages", 10000, "how many messages")
	capacity := flag.Int("capacity", 0, "of each channel; 0 is unbuffered")
	flag.Parse()
	if *kind != "stream" && *kind != "token" {
		log.Fatalf("there is no kind %q; there are stream and token", *kind)
	}

	orders, first, last := ring(*nodes, *capacity)
	stream(orders, last, 1) // one message warms up
	started := time.Now()
	if *kind == "stream" {
		stream(orders, last, *messages)
	} else {
		token(first, last, *messages)
	}
	took := time.Since(started)
	close(orders)
	for message := range last {
		log.Fatalf("message %d came after the last one", message)
	}

	result := map[string]any{"seconds": took.Seconds(), "version": runtime.Version(), "cpus": runtime.GOMAXPROCS(0)}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
