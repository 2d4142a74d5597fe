import assert from "node:assert/strict";
import { test } from "node:test";
import { barriers, eventually, recorded, talk, visit } from "./page.mjs";

const wrote = 'I look.\n</think>\n\nOne moment.<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call><|im_end|>';

// read reads an output on the page.
async function read(page, text, { template = "chatml-reasoning", chunks = "1 byte" } = {}) {
  await page.getByRole("combobox", { name: "Template", exact: true }).selectOption(template);
  await page.getByLabel(/^What the model wrote/).fill(text);
  await page.getByRole("combobox", { name: "Chunks", exact: true }).selectOption(chunks);
  await page.getByRole("button", { name: "Read it" }).click();
  await page.getByRole("heading", { name: /^In the end/ }).waitFor();
}

const slider = (page) => page.getByRole("slider", { name: "Step" });

test("an output is shown as far as each chunk decides it", async () => {
  await visit("output", async (page) => {
    await page.getByText("Nothing was read yet").waitFor();
    await read(page, wrote);
    await page.getByRole("heading", { name: "In the end: complete, tool_calls" }).waitFor();
    await slider(page).fill("45");
    await page.getByText("45 of 118 bytes received, 16 held.").waitFor();
    await page.getByText("held: not decided yet").first().waitFor();
    await page.getByText("At work: calls › call-run › calls › call, which reads").waitFor();
    const held = page.locator(".bytes .piece.held");
    assert.match((await held.allTextContents()).join(""), /<tool_call>/);
    await slider(page).press("End");
    assert.equal(await held.count(), 0);
    assert.match(await page.locator(".bytes .piece.reasoning").first().textContent(), /I look/);
  });
});

test("each byte names what has read it, by keyboard", async () => {
  await visit("output", async (page) => {
    await read(page, wrote);
    await page.locator(".bytes .piece.content").click();
    await page.getByText('Read by until("<tool_call>", "<|im_end|>") in the program itself.').waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByText('Read by "<tool_call>" in the rule call.').waitFor();
    assert.deepEqual(await barriers(page), []);
  });
});

test("it plays by itself", async () => {
  await visit("output", async (page) => {
    await read(page, wrote);
    await page.getByLabel("Chunks a second").selectOption("500");
    await slider(page).fill("0");
    await page.getByText("0 of 118 bytes received").waitFor();
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByText("118 of 118 bytes received").waitFor();
    await page.getByRole("button", { name: "Play" }).waitFor();
  });
});

test("each API says the same in its words", async () => {
  await visit("output", async (page) => {
    await read(page, wrote);
    for (const [api, said] of [
      ["OpenAI's chat completions", '"name":"get_weather"'],
      ["OpenAI's responses", "response.function_call_arguments.done"],
      ["Anthropic's messages", "input_json_delta"],
    ]) {
      await page.getByLabel("As clients get them of").selectOption(api);
      await page.getByLabel("Deltas", { exact: true }).filter({ hasText: said }).waitFor();
    }
  });
});

test("what breaks the format is shown, with what was expected", async () => {
  await visit("output", async (page) => {
    await read(page, '<tool_call>{"name": "get_weather", "arguments": {"city": oops}}</tool_call>', { template: "chatml-json", chunks: "like tokens" });
    await page.getByRole("heading", { name: "In the end: malformed" }).waitFor();
    await page.getByText(/expected a value, found "o"/).waitFor();
    await page.locator(".bytes .piece.recovered").first().click();
    await page.getByText("No rule has read it.").waitFor();
    await page.getByText("The request with its tools").click();
    await page.getByLabel(/^A chat request/).fill('{"messages": ');
    await page.getByText("which is not valid JSON").waitFor();
    await page.getByRole("button", { name: "Read it" }).click();
    await page.getByRole("alert").waitFor();
  }, { expected: ["400"] });
});

test("a template that is not in force reads outputs, too", async () => {
  await visit("output", async (page) => {
    await page.evaluate(() => {
      const source = "{% for m in messages %}[{{ m.role }}]{{ m.content }}[/]{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}";
      sessionStorage.setItem("dragoman.draft", JSON.stringify({ name: "mine", source }));
    });
    await page.reload();
    await read(page, "Hello[/]", { template: "mine (draft)" });
    await page.getByRole("heading", { name: "In the end: complete, stop" }).waitFor();
  });
});

test("a recording opens with its request, its pieces and its template", async () => {
  await visit("output", async (page) => {
    await talk(page);
    const recording = page.getByLabel("Recording");
    await eventually(async () => {
      await page.reload();
      await page.waitForLoadState("networkidle");
      return recording.isEnabled();
    });
    await recording.selectOption({ index: 1 });
    await page.getByRole("heading", { name: "In the end: complete, stop" }).waitFor();
    assert.equal(await page.getByRole("combobox", { name: "Chunks", exact: true }).inputValue(), "recorded");
    assert.match(await page.getByLabel(/^What the model wrote/).inputValue(), /A greeting/);
  }, { base: recorded });
});
