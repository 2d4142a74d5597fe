// Package scan recognises pieces of text that arrive in chunks: literals, delimiters, classes of characters, strings and
// values.
//
// A recogniser reads the bytes at hand and answers with an Outcome: matched, failed, or hungry, when it takes another byte
// to tell. One that reads long texts (Quoted, Value) keeps its state between chunks, and is given only what it has not read;
// the others are asked again with more. The answer never depends on where the input was cut.
//
// Literals know which of their bytes are special tokens of the model, and Tokens which bytes of the input are not.
package scan
