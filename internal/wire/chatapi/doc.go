// Package chatapi converts between the messages of dragoman.v1.ChatService and the library's own values: plans, results,
// reports and errors. The daemon encodes what the Go client decodes, so that a program that talks to a daemon gets the types that
// it would get from the library.
//
// Encoding copies nothing that it can share; what is decoded from a message shares its memory, too.
package chatapi
