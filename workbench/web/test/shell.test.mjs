import assert from "node:assert/strict";
import { test } from "node:test";
import { barriers, guarded, places, visit } from "./page.mjs";

for (const place of places) {
  test(`${place} has no barrier in both themes, and fits on a phone`, async () => {
    await visit(place, async (page) => {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await barriers(page), [], colorScheme);
      }
      await page.setViewportSize({ width: 360, height: 740 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 360, `it is ${wide} pixels wide`);
    }, { settled: true });
  });
}

test("the keyboard reaches the view and the others", async () => {
  await visit("template", async (page) => {
    await page.getByRole("link", { name: "call-lines" }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Skip to the view");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.keyboard.press("Tab"); // the table
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Parts of the template" }).waitFor();
    await page.getByRole("link", { name: "Rules", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Rules" }).waitFor();
    await page.waitForFunction(() => document.title === "Rules · Dragoman workbench");
    await page.goBack();
    await page.getByRole("navigation", { name: "Parts of the template" }).waitFor();
  });
});

test("what has the focus can be seen", async () => {
  await visit("template", async (page) => {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), "none");
  });
});

test("the theme can be chosen, and is kept", async () => {
  await visit("template", async (page) => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByLabel("Theme").selectOption("dark");
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.reload();
    assert.equal(await ground(), dark);
  });
});

test("an operator signs in; a client and a stranger do not", async () => {
  await visit(
    "template",
    async (page) => {
      const sign = async (token) => {
        await page.getByLabel("Operator token").fill(token);
        await page.getByRole("button", { name: "Sign in" }).click();
      };
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      assert.deepEqual(await barriers(page), []);
      await sign("wrong");
      await page.getByText("missing or unknown bearer token").waitFor();
      await sign("client");
      await page.getByText("this is for operators").first().waitFor();
      await sign("boss");
      await page.getByRole("link", { name: "call-lines" }).waitFor();
    },
    { base: guarded, expected: ["401", "403"] },
  );
});
