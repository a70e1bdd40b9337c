package batch
import ("testing";"os";"fmt"
"github.com/acapscan/acapscan/ingest/extract"
"github.com/acapscan/acapscan/ingest/source";"github.com/google/go-cmp/cmp")
func TestGen(t *testing.T){
 b,err:=os.ReadFile("/tmp/soak2013328807/input"); if err!=nil{t.Fatal(err)}
 for i:=range 30 {
 a,s1:=read(t,[]source.Input{source.New("x",int64(len(b)),ranged{content:b})},Options{Workers:1,Extract:extract.Options{Pages:extract.PagesAll}})
 c,s2:=read(t,[]source.Input{source.New("x",int64(len(b)),ranged{content:b})},Options{Workers:3,Stretch:7001,Extract:extract.Options{Pages:extract.PagesAll}})
 if d:=cmp.Diff(a,c); d!="" || s1!=s2 { fmt.Println(i, d,s1,s2); return }
 }
}
