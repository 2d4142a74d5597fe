import assert from "node:assert/strict";
import { test } from "node:test";
import { barriers, visit } from "./page.mjs";

const choose = async (page, template) => page.getByRole("combobox", { name: "Template", exact: true }).selectOption(template);
const attempt = async (page, text) => page.getByLabel(/^An output to try/).fill(text);

test("a text is tried against the grammar as it is typed", async () => {
  await visit("constraint", async (page) => {
    await page.getByText("No template is chosen").waitFor();
    await choose(page, "chatml-json");
    await page.getByLabel("Grammar").filter({ hasText: "root ::=" }).waitFor();
    await page.getByRole("row", { name: "the text <tool_call>" }).waitFor();
    for (const [text, said] of [
      ["Hello", "Free: no trigger occurs"],
      ['Hello <tool_call>{"na', "Accepted so far"],
      ['<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>', "Accepted: the output may end here"],
      ['Grüß <tool_call>{"name": "oops', 'Refused at byte 28: "o".'],
    ]) {
      await attempt(page, text);
      await page.getByRole("status").filter({ hasText: said }).waitFor();
    }
    assert.equal(await page.locator("mark").textContent(), "o");
    await page.locator("li code", { hasText: '"get_weather' }).waitFor();
    assert.deepEqual(await barriers(page), []);
  });
});

test("every notation is shown, and what it is for", async () => {
  await visit("constraint", async (page) => {
    await choose(page, "chatml-tagged");
    for (const [notation, said] of [["lark", "%llguidance"], ["structural_tag", "triggered_tags"], ["ebnf", "root ::="], ["json_schema", '"type"']]) {
      await page.getByLabel("Notation").selectOption(notation);
      await page.locator("pre", { hasText: said }).or(page.getByText("None: nothing constrains")).first().waitFor();
    }
  });
});

test("a request without tools has no grammar, and the page says why", async () => {
  await visit("constraint", async (page) => {
    await page.getByText("The request with its tools").click();
    await page.getByLabel(/^A chat request/).fill('{"messages": [{"role": "user", "content": "Hi"}]}');
    await choose(page, "chatml-json");
    await page.getByText("None: nothing constrains the answer").waitFor();
    await page.getByText("None: sampling is free.").waitFor();
  });
});
