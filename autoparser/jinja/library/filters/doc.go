// Package filters holds the filters of templates. All lists them.
//
// tojson is that of transformers, which differs from Jinja2's. map, select, reject and some others are
// lazy: they do nothing until their elements are needed.
package filters
