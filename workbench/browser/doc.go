// Package browser tests the workbench in a browser, with a daemon and templates that are read wrongly. The scripts are in
// workbench/web/test.
package browser
