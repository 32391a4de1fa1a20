// SPDX-License-Identifier: GPL-2.0-or-later

// ways.go - see make: in Go, in a goroutine, with methods, an interface and a closure
package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

type way interface{ walk(times int) }
type left struct{ parents int }
type right struct{ parents int }

//go:noinline
func ask() int { return syscall.Getppid() }

//go:noinline
func (l *left) walk(times int) {
	for i := 0; i < times; i++ {
		l.parents += ask()
	}
}

//go:noinline
func (r *right) walk(times int) {
	each := func() { r.parents += ask() }
	for i := 0; i < times; i++ {
		repeat(each)
	}
}

//go:noinline
func repeat(each func()) { each() }

var parts int

// Neither calls anything, so that they have no frames: who calls them is missing in stacks.
//
//go:noinline
func hot() {
	for i := 0; i < 3000009; i++ {
		parts += i
	}
}

//go:noinline
func cold() {
	for i := 0; i < 1000003; i++ {
		parts ^= i
	}
}

//go:noinline
func burn(rounds int) {
	for i := 0; i < rounds; i++ {
		hot()
		cold()
	}
}

//go:noinline
func work() {
	if len(os.Args) > 1 {
		rounds, _ := strconv.Atoi(os.Args[1])
		burn(rounds)
		return
	}
	for _, w := range []struct {
		way
		times int
	}{{&left{}, 300}, {&right{}, 100}} {
		w.walk(w.times)
	}
}

func wait(what string) {
	fmt.Println(what)
	os.Stdin.Read(make([]byte, 1))
}

func main() {
	wait("ready")
	done := make(chan bool)
	go func() { work(); done <- true }()
	<-done
	wait("done")
}
