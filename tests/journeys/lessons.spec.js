// The course: every lesson is played to its end by keyboard, in both languages; what a person does in one is kept. The answers are
// the first or the last ones that can be given: src/lessons/check.rs tries all of them.
import { readdirSync } from "node:fs";
import { accessible, expect, open, opened, test } from "./page.js";

const ids = readdirSync("static/lessons").filter((name) => name.endsWith(".yaml")).map((name) => name.slice(0, -5)).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
const chapters = [...new Set(ids.map((id) => id.split(".")[0]))];
const panel = (page, where = "beside") => page.locator(`.lesson.${where}`);
const here = (page, where) => panel(page, where).locator(".lesson-steps [aria-current=step]");

/** Presses a button by keyboard. */
async function press(button) {
  await button.focus();
  await button.press("Enter");
}

/** Answers what a step asks: with the first answer, or with the last one. */
async function answer(page, last, where) {
  const ask = panel(page, where).locator(".lesson-ask");
  const number = ask.locator("input[type=number]");
  const choices = ask.locator(".lesson-choices").first().locator(".quiet");
  const send = ask.locator(".lesson-choices .solid");
  if (await number.count()) {
    await number.focus();
    await page.keyboard.type(await number.getAttribute(last ? "max" : "min"));
    await page.keyboard.press("Enter");
  } else if (await ask.locator("[aria-pressed]").count()) {
    const n = await choices.count();
    for (let i = 0; i + 1 < n; i++) await press(choices.nth(last ? n - 1 - i : i));
    await press(send);
  } else if (await choices.count()) {
    await press(last ? choices.last() : choices.first());
  } else {
    // An object of the graph is pointed at.
    await page.keyboard.press("g");
    const keys = ["Right", "Right", "Up", "Up", "Right", "Up", "Left", "Down", "Down", "Right", "Down", "Left"];
    for (const key of keys.map((key) => `Arrow${key}`)) {
      if (await send.count()) break;
      await page.keyboard.press(key);
      await page.waitForTimeout(150);
    }
    await press(send);
  }
  await expect(ask.locator(".lesson-outcome")).toBeVisible({ timeout: 20_000 });
}

/** The text of the step, or the sentence at the end. */
const text = (page, where) => panel(page, where).locator(".lesson-text").first();

/** Goes through the lesson that is open, to its end; `both` looks at each step in the other language, too, and goes on in it. */
async function play(page, last, where, both) {
  for (;;) {
    if (both) {
      const before = await text(page, where).textContent();
      await press(page.locator(".language"));
      await expect(text(page, where)).not.toHaveText(before);
    }
    const step = await here(page, where).locator("xpath=..").evaluate((li) => [...li.parentNode.children].indexOf(li));
    if (await panel(page, where).locator(".lesson-keep").count()) return;
    if (await panel(page, where).locator(".lesson-ask").count()) await answer(page, last, where);
    const task = panel(page, where).locator(".lesson-task");
    if (await task.count()) {
      const hint = task.locator(".lesson-hint");
      for (let given = await task.locator(".lesson-hints > li").count(); await hint.count(); given++) {
        await press(hint);
        await expect(task.locator(".lesson-hints > li")).toHaveCount(given + 1);
      }
      await press(task.locator(".lesson-solve"));
      await expect(task.locator(".lesson-met")).toBeVisible({ timeout: 20_000 });
    }
    await press(panel(page, where).locator(".lesson-next"));
    await expect(panel(page, where).locator(".lesson-steps li").nth(step + 1).locator("[aria-current=step]")).toHaveCount(1, { timeout: 20_000 });
  }
}

for (const chapter of chapters) {
  test(`chapter ${chapter}: each lesson is played to its end by keyboard, each step in both languages`, async ({ page }) => {
    const lessons = ids.filter((id) => id.startsWith(`${chapter}.`));
    test.setTimeout(40_000 * lessons.length);
    page.setDefaultTimeout(15_000);
    await open(page, `#/lesson/${lessons[0]}`);
    for (const [nth, id] of lessons.entries()) {
      await expect(panel(page).locator("h2 .lesson-place")).toHaveText(id.split("-")[0]);
      await play(page, nth % 2 > 0, "beside", true);
      if (nth === 0) await accessible(page, ".lesson.beside");
      if (id !== lessons.at(-1)) await press(panel(page).locator(".lesson-next"));
    }
    const progress = await page.evaluate(() => JSON.parse(localStorage.getItem("steady:course")));
    for (const id of lessons) expect(progress.lessons[id].done, id).toBe(true);
  });
}

test("the map of the course: what leads to what, what is next, and how far one is", async ({ page }) => {
  await open(page);
  await page.locator("#course-button").click();
  const map = page.locator("dialog.course");
  await expect(map.locator(".course-lessons li")).toHaveCount(ids.length);
  await expect(map.locator(".due")).toHaveCount(1);
  await accessible(page, "dialog.course");
  await map.locator(".due button").click();
  await expect(panel(page)).toBeVisible();
  await expect(page.locator(".scenarios b")).toHaveText(await panel(page).locator("h2").evaluate((h) => h.lastChild.textContent));
  await press(page.locator("#course-button"));
  await expect(map.locator("[aria-current=true]")).toHaveCount(1);
  await expect(map.getByText("1 of", { exact: false })).toHaveCount(1);
});

test("a lesson goes on after a reload, as a link, and from the address of a step", async ({ page, context }) => {
  await open(page, "#/lesson/1.2-enabling-condition");
  await press(panel(page).locator(".lesson-next"));
  await answer(page, true);
  await expect(panel(page).locator(".lesson-outcome")).toBeFocused();
  const said = await panel(page).locator(".lesson-outcome").textContent();
  await page.waitForTimeout(1000);
  await page.reload();
  await opened(page);
  await expect(panel(page).locator(".lesson-outcome")).toHaveText(said);
  const link = await page.evaluate(() => window.steady.link());
  const other = await context.newPage();
  await open(other, link);
  await expect(panel(other).locator(".lesson-outcome")).toHaveText(said);
  await open(other, "?lang=zh#/lesson/1.2-enabling-condition/4");
  await expect(panel(other).locator(".lesson-task")).toBeVisible();
  await open(other, "?lang=en#/04-rolling-update");
  await expect(other.locator(".scenarios b")).toHaveText("Rolling update");
  await expect(panel(other)).toHaveCount(0);
});

test("a lesson that was only opened is there after a reload", async ({ page }) => {
  await open(page, "#/lesson/1.2-enabling-condition");
  await expect(panel(page)).toBeVisible();
  await page.waitForTimeout(500);
  await page.reload();
  await opened(page);
  await expect(panel(page).locator("h2 .lesson-place")).toHaveText("1.2");
});

test("a lesson is told in a frame and in a presentation, and what it asks is not given away", async ({ page }) => {
  await open(page, "?embed#/lesson/1.2-enabling-condition/2");
  await expect(panel(page, "played").locator(".lesson-ask")).toBeVisible();
  await expect(page.locator(".player-said .then")).toHaveCount(0);
  await open(page, "#/lesson/1.2-enabling-condition/2");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await expect(page.locator("#share-origin")).toHaveValue(/#\/lesson\/1\.2-enabling-condition\/2$/);
  await page.getByRole("button", { name: "Present", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("What must be true before somebody acts");
  await answer(page, true, "played");
});

test("a lesson shows what a line prints once it was predicted, and leads to the way of a packet", async ({ page }) => {
  await open(page, "#/lesson/7.1-no-endpoints");
  await expect(panel(page).locator(".lesson-text")).toBeVisible();
  await expect(panel(page).locator(".lesson-prints")).toHaveCount(0);
  await answer(page, false);
  await expect(panel(page).locator(".lesson-prints pre")).toContainText("Connection refused");
  await press(panel(page).getByRole("button", { name: "Follow the packet from client to http://orders" }));
  await expect(page.locator("#tab-network")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("#journey-url")).toHaveValue("http://orders");
  await expect(page.locator(".hop-end.bad")).toBeVisible();
});

test("progress that was forgotten comes back when asked for", async ({ page }) => {
  await open(page, "#/lesson/1.1-one-command");
  await page.waitForTimeout(500);
  await page.locator("#course-button").click();
  const map = page.locator("dialog.course");
  const reached = map.locator("em").filter({ hasText: "of" });
  await expect(reached).toHaveCount(1);
  await map.getByRole("button", { name: "Forget progress" }).click();
  await expect(reached).toHaveCount(0);
  await map.getByRole("button", { name: "Undo" }).click();
  await expect(reached).toHaveCount(1);
});

test("leaving a lesson leaves its run", async ({ page }) => {
  await open(page, "#/lesson/1.2-enabling-condition");
  await expect(panel(page)).toBeVisible();
  const digest = await page.evaluate(() => window.steady.digest());
  await press(panel(page).getByRole("button", { name: "Leave the lesson" }));
  await expect(panel(page)).toHaveCount(0);
  expect(await page.evaluate(() => window.steady.digest())).toBe(digest);
});

test("a lesson of one's own: its mistakes are said, and it is shared as a link", async ({ page, context }) => {
  await open(page);
  const text = (nodes) => `
title: {en: Mine, zh: 我的}
idea: {en: An idea, zh: 一个想法}
start: {nodes: ${nodes}, manifest: ''}
steps:
  - text: {en: "Make a *ConfigMap*. <b>Not bold</b>", zh: 创建一个 ConfigMap。}
    do:
      goal:
        - label: {en: There is one in default., zh: default 里有一个。}
          holds: {now: 'now.configmaps.exists(c, c.metadata.name == "mine")'}
      solution: [kubectl: create configmap mine]
keep: {en: Keep this., zh: 记住这句话。}
`;
  const bring = async (nodes) => {
    await page.locator("#course-button").click();
    await page.locator("dialog.course input[accept='.yaml,.yml']").setInputFiles({ name: "mine.yaml", mimeType: "text/yaml", buffer: Buffer.from(text(nodes)) });
  };
  await bring("two");
  await expect(page.locator(".lesson-problem")).toContainText("Line 4");
  await bring(2);
  // The word is a term of the glossary, whose meaning stands with it.
  await expect(panel(page).locator(".lesson-text em").getByRole("button", { name: "ConfigMap", exact: true })).toBeVisible();
  await expect(panel(page).locator(".lesson-text")).toContainText("<b>Not bold</b>");
  await page.getByRole("button", { name: "Play it to its end" }).click();
  await expect(page.locator("#tab-lesson-panel .changes")).toContainText("it holds what it promises");
  await page.evaluate(() => window.steady.kubectl("create configmap mine"));
  await expect(panel(page).locator(".lesson-met")).toBeVisible();
  const link = await page.evaluate(() => window.steady.link());
  const other = await context.newPage();
  await open(other, link);
  await expect(panel(other).locator(".lesson-met")).toBeVisible();
  await press(panel(other).locator(".lesson-next"));
  await expect(panel(other).locator(".lesson-keep")).toHaveText("Keep this.");
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });
  test("a lesson is whole", async ({ page }) => {
    await open(page, "?lang=zh#/lesson/1.2-enabling-condition");
    await play(page, false, "brief");
    await accessible(page, ".lesson.brief");
  });
});
