// Package filters holds the filters of templates. All lists them.
//
// Where Jinja2 and transformers differ, tojson is transformers'. Filters over sequences look attributes of the elements up
// (getter); map, select and their kin are lazy: they do nothing until their elements are asked for.
package filters
