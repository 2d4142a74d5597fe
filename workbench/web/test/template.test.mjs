import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { visit } from "./page.mjs";

const source = readFileSync(new URL("../../browser/testdata/templates/call-lines.jinja", import.meta.url), "utf8");

test("the overview tells what is proven, by what it was taught, and what is read differently", async () => {
  await visit("template/call-lines", async (page) => {
    await page.getByText("read as content").first().waitFor();
    const field = page.getByRole("row", { name: /tools\.function\.name_prefix/ });
    assert.match(await field.textContent(), /"CALL ".*T3/s);
    assert.match(await page.getByRole("row", { name: /Is a call read\?/ }).textContent(), /expected "", found "CALL find_book/);
    await field.getByRole("link").click();
    const comparison = page.locator("details.comparison", { hasText: "T3" });
    await comparison.locator("del", { hasText: "alphafunction" }).waitFor();
    await comparison.locator("ins", { hasText: "betaroutine" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.tagName), "SUMMARY");
  });
});

test("each comparison is two renderings, with what it taught marked", async () => {
  await visit("template/chatml-json/comparisons", async (page) => {
    const second = page.locator("details.comparison", { hasText: "T2" });
    await second.locator("mark", { hasText: "<tool_call>" }).first().waitFor();
    assert.equal(await second.locator("figure").count(), 2);
    const short = (await second.textContent()).length;
    await page.getByLabel("Whole renderings").check();
    assert.ok((await second.textContent()).length > short);
  });
});

test("each piece of a prompt leads to the line that wrote it", async () => {
  await visit("template/chatml-json/prompt", async (page) => {
    await page.getByRole("button", { name: /^Where is Dune\?.*messages\[1\]\.content/ }).click();
    await page.getByRole("status").filter({ hasText: "value of the expression at line" }).waitFor();
    assert.match(await page.locator(".source .here").textContent(), /content/);
    await page.keyboard.press("ArrowRight");
    await page.getByRole("status").filter({ hasText: "text of the template at line" }).waitFor();
    await page.getByLabel("Request").fill('{"messages": [{"role": "king"');
    await page.getByRole("button", { name: "Render" }).click();
    await page.getByRole("alert").waitFor();
  }, { expected: ["400"] });
});

test("a template that is dropped or pasted becomes a draft", async () => {
  await visit("template", async (page) => {
    await page.getByLabel(/drop it here/).setInputFiles({ name: "mine.jinja", mimeType: "text/plain", buffer: Buffer.from(source) });
    await page.getByRole("heading", { name: "mine", level: 2 }).waitFor();
    await page.getByText("A draft; it is not in force.").waitFor();
    await page.getByText("read as content").first().waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "mine", level: 2 }).waitFor();
    await page.getByRole("link", { name: /another file/ }).click();
    const config = JSON.stringify({ chat_template: source, bos_token: "<s>", eos_token: "</s>" });
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "tokenizer_config.json"));
      document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, config);
    await page.getByRole("heading", { name: "tokenizer_config", level: 2 }).waitFor();
    await page.getByRole("link", { name: /another file/ }).click();
    await page.getByText("Or paste the text").click();
    await page.getByLabel("Text", { exact: true }).fill("{{ broken");
    await page.getByRole("button", { name: "Read it" }).click();
    await page.getByRole("alert").filter({ hasText: "draft:1" }).waitFor();
  }, { expected: ["400"] });
});
