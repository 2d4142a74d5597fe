// What the tests of the page share: the browser, pages that collect what must not happen, and the check for accessibility.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after } from "node:test";
import { chromium } from "playwright-core";

// open is the address of a daemon that wants no token; guarded that of one that does; recorded that of one that records outputs.
export const { OPEN: open, GUARDED: guarded, RECORDED: recorded } = process.env;

// places are the addresses of all views, each with something to see.
export const places = [
  "template",
  "template/call-lines",
  "template/call-lines/comparisons",
  "template/chatml-json/prompt",
  "template/chatml-json/source",
  "rules",
  "rules/call-lines",
  "output",
  "constraint",
  "live",
];

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// The page runs in a container of the tests' own, so that it needs no sandbox.
const browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ["--no-sandbox"] });
after(() => browser.close());

// visit opens a page at a place, and calls test with it. Errors in the console, what the policy blocks, and requests to other hosts
// fail it; expected names what the console may say. A settled page has loaded all that it asks for.
export async function visit(place, test, { base = open, width = 1200, height = 900, expected = [], settled = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const wrong = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !expected.some((e) => m.text().includes(e)) && wrong.push(m.text()));
  page.on("pageerror", (e) => wrong.push(String(e)));
  page.on("request", (r) => r.url().startsWith(base) || r.url().startsWith("data:") || wrong.push("a request to " + r.url()));
  await page.addInitScript(() => addEventListener("securitypolicyviolation", (e) => console.error("blocked by the policy: " + e.violatedDirective, e.blockedURI)));
  try {
    await page.goto(base + "/workbench/#/" + place);
    if (settled) await page.waitForLoadState("networkidle");
    await test(page);
    assert.deepEqual(wrong, []);
  } finally {
    await context.close();
  }
}

// barriers returns what axe finds wrong on a page.
export async function barriers(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 200)} ${n.failureSummary}`));
}

// talk has the daemon of a page answer, and returns when the answer has ended.
export const talk = (page) =>
  page.evaluate(async () => {
    const body = JSON.stringify({ model: "replay", messages: [{ role: "user", content: "Hi" }] });
    await (await fetch("../v1/chat/completions", { method: "POST", headers: { "Content-Type": "application/json" }, body })).text();
  });

// eventually waits until a condition holds.
export async function eventually(holds) {
  for (const end = Date.now() + 20_000; !(await holds()); ) {
    assert.ok(Date.now() < end, "it did not come true in time");
    await new Promise((next) => setTimeout(next, 50));
  }
}
