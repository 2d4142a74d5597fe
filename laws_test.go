package dragoman

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// laws names, for each law in docs/architecture.md, tests that fail when it is broken. They need nothing but this repository.
var laws = []struct {
	law   string
	tests []string // package and function
}{
	{"Chunking does not matter.", []string{
		"sdk/peg/match.TestChunkingDoesNotMatter", "sdk/chat.TestAnswersAreTheSameAtEverySplit",
		"sdk/session.TestAnOutputIsTheSameAtOnceAndInChunks", "autoparser.TestStylesOfTheWild"}},
	{"A decided event is never revised.", []string{
		"sdk/peg/match.TestLawOfCommitment", "autoparser/assemble.TestEveryPrefixOfArgumentsIsAPrefixOfTheWhole", "autoparser/assemble.TestCommitmentsAreMeant"}},
	{"Linear time, bounded memory.", []string{
		"sdk/peg/match.TestFloodsAreLinear", "sdk/peg/match.TestHeldBytes", "sdk/peg/match.TestUndecidedTextIsLimited", "sdk/chat.TestLongWhiteSpaceIsNotHeldBack"}},
	{"No byte is lost.", []string{
		"autoparser/assemble.TestAnOutputCutOffAnywhereLosesNoByte", "autoparser/assemble.TestMissingClosersLoseNothing", "sdk/peg/match.TestRecovery"}},
	{"The grammar and the parser are one program.", []string{
		"sdk/grammar.TestWhatAGrammarAcceptsItsProgramParses", "autoparser.TestWhatAStyleWritesIsAllowedAndReadBack", "host.TestWhatTheGrammarOfAStyleAllowsIsRead"}},
	{"The start state comes from the rendered prompt", []string{
		"autoparser/assemble.TestTheStartStateComesFromThePrompt", "autoparser/assemble.TestAConstraintBeginsInTheStateOfThePrompt"}},
	{"A request sees one snapshot.", []string{
		"host.TestPoliciesAndPlanAreOfOneSnapshot", "host.TestEditedWorkaroundsAreFollowedByNewSessionsOnly", "host.TestASessionKeepsItsRulesOverARollback"}},
	{"A bad file changes nothing.", []string{
		"host.TestABrokenFileChangesNothingAndShowsInTheStatus", "host.TestABadTemplateChangesNothing", "host/plugins.TestABadNewVersionLeavesTheOldOne"}},
	{"A dead plugin hurts no running session.", []string{
		"host.TestAKilledPluginHurtsNoSession", "host/plugins.TestAStreamSurvivesItsProcess", "host/chaos.TestNoSessionIsHurtByWhateverHappensAroundIt"}},
	{"A template is hostile until proven otherwise.", []string{
		"autoparser/jinja.TestAttacksEndWithTypedFailures", "autoparser.TestATemplateThatExceedsLimitsIsRefusedAtOnce"}},
	{"Nothing unproven is believed.", []string{
		"autoparser.TestNothingUnprovenIsServed", "autoparser.TestNoRowIsNoProof", "autoparser.TestAProbeThatFailsPutsNoHeaderIntoAMarker",
		"host.TestWhatIsNotProvenShowsEverywhere"}},
	{"A broken-off output never becomes a whole call.", []string{
		"autoparser.TestACallOfAStyleThatIsCutOffIsNeverComplete", "sdk/peg/match.TestACallThatTheOutputEndsWithinStaysOpen",
		"sdk/session.TestACallThatTheOutputEndsWithinIsHandledByItsPolicy", "sdk/turn.TestAFormatInAFewLinesConforms"}},
	{"No request costs more than its share.", []string{
		"internal/work.TestWorkEndsAtItsLimitAndWithItsContext", "sdk/grammar.TestSchemasCostWhatTheirSizeAllows",
		"autoparser.TestATemplateThatExceedsTheBudgetOfLearningIsContent", "autoparser.TestALongRequestIsRenderedFewTimes",
		"host/state.TestATemplateIsLearnedWithoutHoldingUpOtherChanges", "soak.TestNoRequestCostsMoreThanItsShare", "soak.TestWorkEndsWithItsClient"}},
}

// TestEachLawHasItsTests compares the laws in the documentation with those above, and looks for their tests.
func TestEachLawHasItsTests(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, held []string
	for _, m := range regexp.MustCompile(`(?m)^\d+\. \*\*(.*?)\*\*`).FindAllSubmatch(text, -1) {
		documented = append(documented, string(m[1]))
	}
	for _, l := range laws {
		held = append(held, l.law)
		for _, name := range l.tests {
			at := strings.LastIndexByte(name, '.')
			switch body := testFunction(t, name[:at], name[at+1:]); {
			case body == "":
				t.Errorf("%s: there is no test %s", l.law, name)
			case strings.Contains(body, "shared.Dir(") || strings.Contains(body, "shared.Cases("):
				t.Errorf("%s: %s needs recorded cases", l.law, name)
			}
		}
	}
	if !slices.Equal(documented, held) {
		t.Errorf("docs/architecture.md has the laws %q, the tests are for %q", documented, held)
	}
}

// testFunction returns the source of a test function, or "" if the folder has none of that name.
func testFunction(t *testing.T, folder, name string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, rest, found := strings.Cut(string(source), "\nfunc "+name+"(t *testing.T) {\n"); found {
			body, _, _ := strings.Cut(rest, "\n}\n")
			return body
		}
	}
	return ""
}
