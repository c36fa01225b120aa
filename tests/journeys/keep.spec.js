// Work is never lost: runs are kept one by one, while they go on, and each tab has its own.
import { test, expect, open, opened, accessible } from "./page.js";

const digest = (page) => page.evaluate(() => window.steady?.digest());
const title = (page) => page.locator(".scenarios b").first();
const dialog = (page) => page.getByRole("dialog", { name: "Your runs" });
const rows = (page) => dialog(page).getByRole("listitem");
const toast = (page) => page.locator(".toast");

async function choose(page, name) {
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("option", { name }).click();
}
async function runs(page) {
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("button", { name: "Your runs" }).click();
  await expect(dialog(page)).toBeVisible();
}
/** Until the browser's database has so many runs. */
const kept = (page, n) => expect.poll(() => page.evaluate(() => new Promise((resolve) => {
  const asked = indexedDB.open("steady");
  asked.onsuccess = () => {
    const db = asked.result;
    const done = (n) => (db.close(), resolve(n));
    if (!db.objectStoreNames.contains("runs")) return done(-1);
    const count = db.transaction("runs").objectStore("runs").count();
    count.onsuccess = () => done(count.result);
  };
  // Asking makes a database where there is none: it is not to stay.
  asked.onupgradeneeded = () => asked.transaction.abort();
  asked.onerror = () => resolve(0);
}))).toBe(n);

test("two scenarios' work is kept, also steps alone, and found by name", async ({ page }) => {
  await open(page);
  for (let i = 0; i < 3; i++) await page.evaluate(() => window.steady.step());
  const first = await digest(page);
  await choose(page, "Rolling update");
  await expect(title(page)).toContainText("Rolling update");
  await page.evaluate(() => window.steady.kubectl("scale deployment web --replicas=4"));
  const second = await digest(page);
  await choose(page, "Self-healing");
  await expect(title(page)).toContainText("Self-healing");
  await kept(page, 2);
  await runs(page);
  await expect(rows(page)).toHaveCount(2);
  await accessible(page, "dialog.runs");
  await dialog(page).getByRole("button", { name: "Open First Deployment" }).click();
  await expect.poll(() => digest(page)).toBe(first);
  await runs(page);
  await dialog(page).getByRole("button", { name: /^Open Rolling update/ }).click();
  await expect.poll(() => digest(page)).toBe(second);
});

test("a run is renamed, duplicated, deleted, and had back, by keys alone", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.step());
  await kept(page, 1);
  await runs(page);
  await dialog(page).getByRole("button", { name: "Rename First Deployment" }).press("Enter");
  await expect(page.getByLabel("Name of the run")).toBeFocused();
  await page.keyboard.type("before the change");
  await page.keyboard.press("Enter");
  await expect(rows(page).locator("b")).toHaveText(["before the change"]);
  await dialog(page).getByRole("button", { name: "Duplicate before the change" }).press("Enter");
  await expect(rows(page).locator("b")).toHaveText(["before the change (2)", "before the change"]);
  await dialog(page).getByRole("button", { name: "Delete before the change (2)" }).press("Enter");
  await expect(rows(page)).toHaveCount(1);
  await expect(dialog(page).getByRole("button", { name: "Undo" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).locator("button:focus")).toHaveCount(1);
  await accessible(page, "dialog.runs");
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
  await page.reload();
  await opened(page);
  await runs(page);
  await expect(rows(page).locator("b")).toHaveText(["before the change (2)", "before the change"]);
});

test("a reload in the middle of a run comes back to its last step", async ({ page }) => {
  await open(page);
  // Slowly enough to be caught in the middle of it.
  await page.locator(".transport select").first().selectOption("3");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const slider = page.getByRole("slider", { name: "Timeline" });
  await expect.poll(async () => Number(await slider.getAttribute("aria-valuenow"))).toBeGreaterThan(6);
  const there = await page.evaluate(() => {
    addEventListener("pagehide", () => sessionStorage.setItem("there", document.querySelector(".timeline [role=slider]").getAttribute("aria-valuenow")));
    return null;
  });
  expect(there).toBe(null);
  await page.reload();
  await opened(page);
  const left = await page.evaluate(() => sessionStorage.getItem("there"));
  await expect(slider).toHaveAttribute("aria-valuenow", left);
});

test("a scenario that was only opened is there after a reload, and is no run", async ({ page }) => {
  await open(page);
  await choose(page, "Rolling update");
  await expect(title(page)).toContainText("Rolling update");
  await page.reload();
  await opened(page);
  await expect(title(page)).toContainText("Rolling update");
  await runs(page);
  await expect(dialog(page)).toContainText("Nothing is kept yet");
});

test("two tabs have a run each, and one can take over from the other", async ({ page, context }) => {
  await open(page);
  await page.evaluate(() => window.steady.step());
  await kept(page, 1);
  const first = await digest(page);
  // A new tab begins anew, for the run is open here.
  const other = await context.newPage();
  await open(other);
  expect(await digest(other)).not.toBe(first);
  await other.evaluate(() => window.steady.kubectl("scale deployment web --replicas=7"));
  await kept(other, 2);
  const second = await digest(other);
  // Reloading at the same time mixes nothing up.
  await Promise.all([page.reload(), other.reload()]);
  await expect.poll(() => digest(page)).toBe(first);
  await expect.poll(() => digest(other)).toBe(second);
  // The list says that the run is open elsewhere, as soon as each tab holds its own again; opening it opens a copy.
  const held = () => page.evaluate(async () => (await navigator.locks.query()).held.length);
  await expect.poll(held).toBe(2);
  await runs(other);
  await expect(rows(other).filter({ hasText: "open in another tab" })).toHaveCount(1);
  await rows(other).filter({ hasText: "open in another tab" }).getByRole("button", { name: /^Open/ }).click();
  await expect.poll(() => digest(other)).toBe(first);
  await expect(toast(other)).toContainText("this is a copy");
  await accessible(other, ".toast");
  await toast(other).getByRole("button", { name: "Take it over instead" }).click();
  await expect(toast(page)).toContainText("taken this run over");
  await expect.poll(() => digest(other)).toBe(first);
  // What either does now is kept for itself.
  await page.evaluate(() => window.steady.kubectl("scale deployment web --replicas=1"));
  await other.evaluate(() => window.steady.kubectl("scale deployment web --replicas=9"));
  await kept(page, 3);
  const [here, there] = [await digest(page), await digest(other)];
  await Promise.all([page.reload(), other.reload()]);
  await expect.poll(() => digest(page)).toBe(here);
  await expect.poll(() => digest(other)).toBe(there);
});

test("a tab that was duplicated has a copy", async ({ page, context }) => {
  await open(page);
  await page.evaluate(() => window.steady.step());
  await kept(page, 1);
  const of = await page.evaluate(() => ({ ...sessionStorage }));
  const other = await context.newPage();
  await other.addInitScript((of) => Object.entries(of).forEach(([key, value]) => sessionStorage.getItem(key) ?? sessionStorage.setItem(key, value)), of);
  await other.goto("");
  await expect(toast(other)).toContainText("this is a copy");
  expect(await digest(other)).toBe(await digest(page));
});

test("what an older page kept becomes runs", async ({ page, context }) => {
  await open(page);
  const old = await page.evaluate(async () => {
    const link = async () => (await window.steady.link()).split("#")[1];
    await window.steady.step();
    const aside = await link();
    await window.steady.runToSteady();
    return { digest: await window.steady.digest(), work: await link(), aside };
  });
  await kept(page, 1);
  const other = await (await context.browser().newContext({ locale: "en-US" })).newPage();
  await other.addInitScript(([work, aside]) => {
    if (sessionStorage.getItem("once")) return;
    sessionStorage.setItem("once", "1");
    localStorage.setItem("steady:work", work);
    localStorage.setItem("steady:kept", aside);
  }, [old.work, old.aside]);
  await other.goto(page.url());
  await expect.poll(() => digest(other)).toBe(old.digest);
  expect(await other.evaluate(() => [localStorage.getItem("steady:work"), localStorage.getItem("steady:kept")])).toEqual([null, null]);
  await runs(other);
  await expect(rows(other)).toHaveCount(2);
  await other.context().close();
});

test("a browser that stores nothing says so, and a reload brings the work back all the same", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "indexedDB", { value: { open: () => { throw new DOMException("no", "SecurityError"); } } });
  });
  await open(page);
  await page.evaluate(() => window.steady.step());
  await expect(toast(page)).toContainText("does not let the page keep your work");
  const own = await digest(page);
  await page.reload();
  await expect.poll(() => digest(page)).toBe(own);
});

test("a database that is full says so, once, and nothing breaks", async ({ page }) => {
  await page.addInitScript(() => {
    IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
    const put = Storage.prototype.setItem;
    Storage.prototype.setItem = function (key, value) {
      if (value.length > 100) throw new DOMException("full", "QuotaExceededError");
      put.call(this, key, value);
    };
  });
  await open(page);
  await page.evaluate(() => window.steady.step());
  await expect(toast(page)).toContainText("does not fit into this browser's storage");
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.locator(".pill")).toContainText("Steady");
});

/** Writes into the browser's database: texts, or what is none, by store and key. */
const put = (page, entries) => page.evaluate((entries) => new Promise((resolve, reject) => {
  const asked = indexedDB.open("steady");
  asked.onerror = () => reject(asked.error);
  asked.onsuccess = () => {
    const writing = asked.result.transaction(["runs", "links"], "readwrite");
    for (const [store, key, value] of entries) writing.objectStore(store).put(value, key);
    writing.oncomplete = () => (asked.result.close(), resolve());
    writing.onerror = () => reject(writing.error);
  };
}), entries);
/** The keys of a store, and what stands there. */
const stored = (page, store) => page.evaluate((store) => new Promise((resolve) => {
  const asked = indexedDB.open("steady");
  asked.onsuccess = () => {
    const reading = asked.result.transaction(store).objectStore(store);
    const [keys, values] = [reading.getAllKeys(), reading.getAll()];
    values.onsuccess = () => (asked.result.close(), resolve(keys.result.map((key, i) => [key, values.result[i]])));
  };
}), store);

test("what is damaged in the list is said and stays, and the other runs are there", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.step());
  const first = await digest(page);
  await kept(page, 1);
  const bad = [["bad-text", "{ no JSON"], ["bad-shape", '{"id":7}'], ["bad-kind", 42], ["bad-nothing", ""]];
  await put(page, bad.flatMap(([key, value]) => [["runs", key, value], ["links", key, value]]));
  // A new run is kept beside them.
  await choose(page, "Rolling update");
  await page.evaluate(() => window.steady.kubectl("scale deployment web --replicas=4"));
  await kept(page, 6);
  await runs(page);
  await expect(rows(page)).toHaveCount(2);
  await expect(dialog(page).getByRole("alert")).toContainText("4 kept runs cannot be read");
  await accessible(page, "dialog.runs");
  await dialog(page).getByRole("button", { name: "Open First Deployment" }).click();
  await expect.poll(() => digest(page)).toBe(first);
  expect((await stored(page, "runs")).filter(([key]) => key.startsWith("bad"))).toEqual(bad.slice().sort());
  await page.goto("?lang=zh");
  await opened(page);
  await page.getByRole("button", { name: "场景" }).click();
  await page.getByRole("button", { name: "你的运行" }).click();
  await expect(page.locator("dialog.runs").getByRole("alert")).toContainText("有 4 次保存的运行无法读取");
});

test("a run whose link is damaged is not opened, and that is said; the one that is shown stays", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.step());
  await kept(page, 1);
  const [[id, link]] = await stored(page, "links");
  await choose(page, "Rolling update");
  await page.evaluate(() => window.steady.kubectl("scale deployment web --replicas=4"));
  await kept(page, 2);
  const shown = await digest(page);
  for (const damaged of ["z", `${link.slice(0, 20)}!!`, link.slice(0, 40), ""]) {
    await put(page, [["links", id, damaged]]);
    await runs(page);
    await dialog(page).getByRole("button", { name: "Open First Deployment" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "not opened" }), damaged).toContainText("your work is as it was");
    expect(await digest(page)).toBe(shown);
    await page.locator(".toast .tool").click();
  }
  // One that has gone.
  await page.evaluate((id) => new Promise((resolve) => {
    const asked = indexedDB.open("steady");
    asked.onsuccess = () => {
      const writing = asked.result.transaction("links", "readwrite");
      writing.objectStore("links").delete(id);
      writing.oncomplete = () => (asked.result.close(), resolve());
    };
  }), id);
  await runs(page);
  await dialog(page).getByRole("button", { name: "Open First Deployment" }).click();
  await expect(toast(page)).toContainText("That run is not there any more");
  expect(await digest(page)).toBe(shown);
});

test("a tab whose own run is damaged opens all the same, and says so", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.step());
  await kept(page, 1);
  const [[id, link]] = await stored(page, "links");
  await put(page, [["links", id, `${link.slice(0, 30)}!`]]);
  await page.reload();
  await opened(page);
  await expect(page.getByRole("alert")).toContainText("damaged");
  await page.evaluate(() => window.steady.step());
  expect(await digest(page)).toBeTruthy();
  // Nonsense beside the database disturbs nothing either.
  await page.evaluate(() => {
    for (const key of ["steady:course", "steady:history", "steady:view", "steady:last"]) localStorage.setItem(key, "{\u0000\u202e");
    for (const key of ["steady:run", "steady:left"]) sessionStorage.setItem(key, "]]\ud800");
  });
  await page.reload();
  await opened(page);
  expect(await page.evaluate(() => window.steady.step())).toBe(true);
});

test("a database of a newer page is left alone, and it is said why nothing is kept", async ({ page }) => {
  // A newer page has been here.
  // An embedded page keeps nothing.
  await open(page, "?embed");
  await page.evaluate(() => new Promise((resolve, reject) => {
    const asked = indexedDB.open("steady", 9);
    asked.onupgradeneeded = () => asked.result.createObjectStore("everything").put("a run", "one");
    asked.onsuccess = () => (asked.result.close(), resolve());
    asked.onerror = () => reject(asked.error);
  }));
  await open(page);
  await page.evaluate(() => window.steady.step());
  await expect(toast(page)).toContainText("A newer version of this page has kept runs in this browser");
  const own = await digest(page);
  await runs(page);
  await expect(dialog(page).getByRole("alert")).toContainText("A newer version of this page has kept the runs");
  await page.reload();
  await expect.poll(() => digest(page)).toBe(own);
  expect(await stored(page, "everything")).toEqual([["one", "a run"]]);
});
