package match_test
import ("testing";"fmt";"github.com/dragoman-project/dragoman/sdk/peg/match")
func TestStat(t *testing.T){
 for name,p:=range programs() { fmt.Println(name); for _,f:=range match.Check(compile(t,p.Bind(""))) {fmt.Println("  ",f)} }
}
func BenchmarkCheck(b *testing.B){ c:=compile(b,taggedCalls().Bind("")); for b.Loop(){match.Check(c)} }
