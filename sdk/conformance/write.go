package conformance

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// OK reports whether every demand of every report is met.
func OK(reports []Report) bool {
	for _, r := range reports {
		if !r.OK() {
			return false
		}
	}
	return true
}

// WriteText writes reports for people: a line for each demand, below it the fault and the remedy, and at the end the number of
// demands that are met.
func WriteText(to io.Writer, reports []Report) error {
	var met, not int
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, r := range reports {
		fmt.Fprintln(out, strings.TrimSpace(r.Handler+" "+r.Version))
		for _, result := range r.Results {
			took := result.Took.Round(time.Millisecond)
			if result.Fault == "" {
				met++
				fmt.Fprintf(out, "  ok\t%s\t%s (%v)\n", result.Demand, result.Text, took)
				continue
			}
			not++
			fmt.Fprintf(out, "  FAIL\t%s\t%s (%v)\n%s\n", result.Demand, result.Text, took, indented(result.Fault+"\n→ "+result.Remedy))
		}
	}
	fmt.Fprintf(out, "%d demands met, %d not\n", met, not)
	return out.Flush()
}

func indented(text string) string {
	return "        " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n        ")
}

// WriteJUnit writes reports as JUnit XML, for continuous integration: a suite for each report, a test for each demand.
func WriteJUnit(to io.Writer, reports []Report) error {
	var all junitSuites
	for _, r := range reports {
		all.Suites = append(all.Suites, suiteOf(r))
	}
	if _, err := io.WriteString(to, xml.Header); err != nil {
		return err
	}
	out := xml.NewEncoder(to)
	out.Indent("", "  ")
	if err := out.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(to, "\n")
	return err
}

func suiteOf(r Report) junitSuite {
	suite := junitSuite{Name: strings.TrimSpace(r.Handler + " " + r.Version), Tests: len(r.Results)}
	var took time.Duration
	for _, result := range r.Results {
		took += result.Took
		test := junitCase{Class: r.Handler, Name: result.Demand + ": " + result.Text, Time: seconds(result.Took)}
		if result.Fault != "" {
			suite.Failures++
			first, _, _ := strings.Cut(result.Fault, "\n")
			test.Failure = &junitFailure{Message: first, Text: result.Fault + "\n→ " + result.Remedy}
		}
		suite.Cases = append(suite.Cases, test)
	}
	suite.Time = seconds(took)
	return suite
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// The elements of JUnit XML.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)
