import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./page.mjs";

// The three templates that are read wrongly, and what their maintainers type below "set:", or in its place.
const repairs = [
  {
    template: "calls-in-words",
    wrong: "how they are written must be said by a workaround",
    because: "calls are told in words",
    rule: ["tools:", "  format: json_native", '  per_call_start: "<|use|>"', '  per_call_end: "<|done|>"', "  json: {name_field: tool, args_field: input}"],
    right: /calls not proven, but calls-in-words vouches for it/,
  },
  {
    template: "call-lines",
    wrong: 'expected "", found "CALL find_book',
    because: "a call has no marker but its first word",
    rule: ["tools:", '  per_call_start: "CALL "', '  function: {name_prefix: ""}'],
    right: /calls proven by 13 answers/,
  },
  {
    template: "unquoted-arguments",
    wrong: 'expected the arguments {"title": "", "authors": [], "shelf": {}}',
    because: "only empty texts are ambiguous, and models do not write them",
    vouch: "vouch: [calls]",
    right: /calls not proven, but unquoted-arguments vouches for it/,
  },
];

const verdict = (page, value) => page.locator(`[data-verdict=${value}]`).waitFor();

// replaceLine types a text in place of the last line that contains another, behind its indentation.
async function replaceLine(page, holding, text) {
  await page.locator(".cm-line", { hasText: holding }).last().click();
  await page.keyboard.press("End");
  await page.keyboard.press("Shift+Home");
  await page.keyboard.insertText(text);
}

for (const { template, wrong, because, rule, vouch, right } of repairs) {
  test(`a maintainer comes to a rule for ${template}`, async () => {
    await visit("template", async (page) => {
      await page.getByRole("link", { name: template }).click();
      await page.getByText(wrong).first().waitFor();
      await page.getByRole("link", { name: "Write a rule for it" }).click();
      await verdict(page, "bad");
      await page.getByRole("button", { name: "Add a rule for it" }).click();
      await verdict(page, "faulty");
      await page.getByText(/line \d+, column \d+: .*because/).waitFor();
      if (rule) {
        await page.locator(".cm-line").last().click();
        await page.keyboard.press("End");
        await page.keyboard.insertText(rule.join("\n      "));
      }
      if (vouch) {
        await page.locator(".cm-line").last().click();
        await page.keyboard.press("Control+Shift+k"); // deletes the line
        await replaceLine(page, "set:", vouch);
      }
      await replaceLine(page, "because: ", "because: " + because);
      await verdict(page, "good");
      await page.getByText(right).waitFor();
      await page.getByText("One template changes; no recorded case becomes worse.").waitFor();
      await page.locator("summary", { hasText: template }).waitFor();
      if (template === "call-lines") await page.getByText("case a call on a line: holds now").waitFor();
    });
  });
}

test("keys and values are completed, and faults are marked in place", async () => {
  await visit("rules/call-lines", async (page) => {
    await page.getByRole("button", { name: "Add a rule for it" }).click();
    await page.locator(".cm-line").last().click();
    await page.keyboard.press("End");
    await page.keyboard.type("rea");
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "reasoning" }).click(); // Enter does it, too, but not at once
    await page.keyboard.type(" {mode: t");
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "tag_based" }).waitFor();
    await page.keyboard.type("wice");
    await page.keyboard.press("Escape");
    await replaceLine(page, "because: ", "because: x");
    await page.getByText(/line \d+, column \d+: .*reasoning\.mode|line \d+, column \d+: .*twice/).waitFor();
    await page.locator(".cm-lintRange-error").first().waitFor();
  });
});

test("what is typed on gives up the trial before", async () => {
  await visit("rules", async (page) => {
    await page.locator(".cm-line").last().click();
    await page.keyboard.press("End");
    await page.keyboard.type("\n# a\n# b\n# c", { delay: 5 });
    await page.getByText("No template in force is read in another way.").waitFor();
  });
});

test("rules that are saved are in force; faulty ones cannot be saved", async () => {
  await visit("rules/call-lines", async (page) => {
    const save = page.getByRole("button", { name: /^Save to/ });
    assert.ok(await save.isDisabled());
    await page.locator(".cm-line").last().click();
    await page.keyboard.press("End");
    await page.keyboard.insertText("\n  - name: [");
    await verdict(page, "faulty");
    assert.ok(await save.isDisabled());
    await replaceLine(page, "- name: [", "# nothing");
    await page.getByText("No template in force is read in another way.").waitFor();
    await save.click();
    await page.getByRole("status").filter({ hasText: "the rules are in force" }).waitFor();
    await page.getByText("These are the rules in force: nothing changes.").waitFor();
    await page.reload();
    await page.locator(".cm-line", { hasText: "# nothing" }).waitFor();
  });
});
