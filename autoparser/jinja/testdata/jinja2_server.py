"""Renders templates with Python's Jinja2, set up as Hugging Face transformers does.

Reads one JSON object a line, {"template": …, "vars": …}, and writes one a line: {"output": …} or {"class": …, "message": …}.
"""

import datetime
import json
import signal
import sys
import warnings

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime.datetime(2026, 1, 15, 12, 34, 56)


class Generation(jinja2.ext.Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols, jinja2.ext.do]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    return env


def give_up(*_):
    raise TimeoutError("Python took too long")


def main():
    env = environment()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, give_up)
    compiled = {}
    for line in sys.stdin:
        case = json.loads(line)
        signal.alarm(10)
        try:
            template = compiled.get(case["template"]) or env.from_string(case["template"])
            compiled[case["template"]] = template
            answer = {"output": template.render(**case["vars"])}
            answer["output"].encode()
        except Exception as e:
            answer = {"class": type(e).__name__, "message": str(e)}
        signal.alarm(0)
        print(json.dumps(answer), flush=True)


main()
