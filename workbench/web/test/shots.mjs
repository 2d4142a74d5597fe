// Takes the screenshots of the manual, into the folder SHOTS.

import { test } from "node:test";
import { visit } from "./page.mjs";

// shots are the names of the pictures: the place, and what to do there before.
const shots = {
  overview: ["template/call-lines"],
  comparisons: ["template/chatml-json/comparisons"],
  prompt: ["template/chatml-json/prompt", showPiece],
  rules: ["rules/call-lines", writeRule],
};

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

for (const [name, [place, prepare]] of Object.entries(shots)) {
  test(name, () =>
    visit(
      place,
      async (page) => {
        await prepare?.(page);
        await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
      },
      { width: 1000, height: 760, settled: true },
    ),
  );
}
