// Takes the screenshots of the manual, into the folder SHOTS.

import { test } from "node:test";
import { recorded, talk, visit } from "./page.mjs";

// shots are the names of the pictures: the place, and what to do there before.
const shots = {
  overview: ["template/call-lines"],
  comparisons: ["template/chatml-json/comparisons"],
  prompt: ["template/chatml-json/prompt", showPiece],
  rules: ["rules/call-lines", writeRule],
  output: ["output", readOutput],
  constraint: ["constraint", tryText],
  live: ["live", talkALittle, recorded],
};

async function readOutput(page) {
  await page.getByRole("combobox", { name: "Template", exact: true }).selectOption("chatml-reasoning");
  const call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>';
  await page.getByLabel(/^What the model wrote/).fill("The user asks for the weather. I look it up.\n</think>\n\nOne moment, please." + call);
  await page.getByRole("button", { name: "Read it" }).click();
  await page.getByRole("slider", { name: "Step" }).fill("25");
  await page.locator(".bytes .piece.content").click();
}

async function tryText(page) {
  await page.getByRole("combobox", { name: "Template", exact: true }).selectOption("chatml-json");
  await page.getByLabel(/^An output to try/).fill('One moment. <tool_call>{"name": "get_time", "arguments": {}}</tool_call>');
  await page.getByText("Refused at byte").waitFor();
}

async function talkALittle(page) {
  await talk(page);
  await page.getByRole("table", { name: "Recordings" }).getByRole("link").first().waitFor();
  await page.getByRole("table", { name: "Reports by template" }).waitFor();
}

async function showPiece(page) {
  await page.getByRole("button", { name: /^Where is Dune/ }).click();
  await page.getByRole("heading", { name: "Prompt" }).evaluate((e) => e.scrollIntoView());
}

async function writeRule(page) {
  await page.getByRole("button", { name: "Add a rule for it" }).click();
  await page.locator(".cm-line").last().click();
  await page.keyboard.press("End");
  await page.keyboard.insertText(["tools:", '  per_call_start: "CALL "', '  function: {name_prefix: ""}'].join("\n      "));
  await page.locator(".cm-line", { hasText: "because: " }).last().click();
  await page.keyboard.press("End");
  await page.keyboard.insertText("a call has no marker but its first word");
  await page.locator("[data-verdict=good]").waitFor();
  await page.getByText("case a call on a line: holds now").waitFor();
}

for (const [name, [place, prepare, base]] of Object.entries(shots)) {
  test(name, () =>
    visit(
      place,
      async (page) => {
        await prepare?.(page);
        await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
      },
      { width: 900, height: 620, settled: !base, base },
    ),
  );
}
