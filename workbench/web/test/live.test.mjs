import assert from "node:assert/strict";
import { test } from "node:test";
import { barriers, eventually, recorded, talk, visit } from "./page.mjs";

// table returns a table by its caption.
const table = (page, caption) => page.getByRole("table", { name: caption });

test("what is empty says why", async () => {
  await visit("live", async (page) => {
    await page.getByText("None: nothing is being parsed at this moment.").waitFor();
    await page.getByText("None: the recorder is off.").waitFor();
    await page.getByText("None: set plugins.dir").waitFor();
    await table(page, "Engines").getByText("answers").waitFor();
    await table(page, "Snapshots").getByText("start").waitFor();
  });
});

test("outputs, reports and recordings come by themselves", async () => {
  await visit("live", async (page) => {
    await table(page, "Snapshots").waitFor();
    const rows = table(page, "Recordings").getByRole("link");
    await eventually(async () => {
      await talk(page); // recordings that were made before the page watches are listed only once it is loaded again
      return (await rows.count()) > 0;
    });
    await table(page, "Reports by template").getByRole("row", { name: /chatml-reasoning/ }).waitFor();
    assert.deepEqual(await barriers(page), []);
    await rows.first().click();
    await page.getByRole("heading", { name: "In the end: complete, stop" }).waitFor();
  }, { base: recorded });
});

test("a snapshot is restored once that is confirmed", async () => {
  await visit("live", async (page) => {
    await table(page, "Snapshots").waitFor();
    await page.evaluate(async () => {
      const body = JSON.stringify({ name: "another", source: "{{ messages[0].content }}" });
      await fetch("../dragoman.v1.TemplateService/PutTemplate", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    });
    await table(page, "Snapshots").getByRole("row", { name: /upload: another/ }).waitFor();
    const first = page.getByRole("button", { name: /^Restore \d+ …$/ }).last();
    await first.click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await first.click();
    await page.getByRole("button", { name: /^Yes, restore/ }).click();
    await table(page, "Snapshots").getByRole("row", { name: /now.*rollback to/ }).waitFor();
  }, { base: recorded });
});
