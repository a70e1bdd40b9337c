//go:build !linux

package main

func useMemory() {}
