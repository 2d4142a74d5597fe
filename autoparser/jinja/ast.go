package jinja

// ---- expressions ----
type expr interface{}

type (
	litE  struct{ v Value }
	nameE struct{ n string }
	attrE struct {
		e expr
		n string
	}
	itemE  struct{ e, i expr }
	sliceE struct{ e, a, b, c expr }
	kwE    struct {
		n string
		e expr
	}
	callE struct {
		fn     expr
		args   []expr
		kw     []kwE
		sa, sk expr // *args, **kwargs
	}
	filterE struct {
		e    expr // nil inside {% filter %}
		n    string
		args []expr
		kw   []kwE
	}
	testE struct {
		e    expr
		n    string
		args []expr
		kw   []kwE
	}
	binE struct {
		op   string
		l, r expr
	}
	cmpE struct {
		first expr
		ops   []string
		rest  []expr
	}
	andE  struct{ l, r expr }
	orE   struct{ l, r expr }
	notE  struct{ e expr }
	negE  struct{ e expr }
	posE  struct{ e expr }
	condE struct{ t, c, e expr } // e may be nil
	listE struct {
		items []expr
		tuple bool
	}
	dictE   struct{ k, v []expr }
	concatE struct{ parts []expr }
)

// ---- statements ----
type stmt interface{}

type (
	dataS  struct{ s string }
	printS struct{ e expr }
	ifS    struct {
		conds  []expr
		bodies [][]stmt
		els    []stmt
	}
	forS struct {
		target    expr
		iter      expr
		cond      expr
		body, els []stmt
		recursive bool
	}
	setS struct {
		target expr
		e      expr
	}
	setBlockS struct {
		target  expr
		filters []filterE
		body    []stmt
	}
	macroS struct {
		name     string
		params   []string
		defaults []expr // aligned to the right
		body     []stmt
	}
	callBlockS struct {
		params   []string
		defaults []expr
		call     *callE
		body     []stmt
	}
	filterBlockS struct {
		f    []filterE
		body []stmt
	}
	withS struct {
		names []expr
		vals  []expr
		body  []stmt
	}
	scopeS    struct{ body []stmt } // {% generation %}
	breakS    struct{}
	continueS struct{}
)
