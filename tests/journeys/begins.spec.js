// How an empty cluster begins: its nodes, etcd's members and its address families.
import { test, expect, open, opened, accessible } from "./page.js";

const nodes = (page) => page.locator(".card[data-object^='Node ']");
const begins = (page, story = ".story") => page.locator(`${story} .begins`);

test("a person chooses the nodes, the members and the addresses, and a reload finds them", async ({ page }) => {
  await open(page, "#22-empty");
  const group = page.getByRole("group", { name: "How the cluster begins" });
  await expect(nodes(page)).toHaveCount(3);
  await group.getByLabel("Nodes").selectOption("2");
  await expect(nodes(page)).toHaveCount(2);
  await group.getByLabel("etcd members").selectOption("3");
  await group.getByLabel("Addresses").selectOption({ label: "IPv4 and IPv6" });
  await expect(group.getByLabel("Nodes")).toHaveValue("1");
  await accessible(page);
  const families = () => page.evaluate(async () => {
    await window.steady.apply("apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ipFamilyPolicy: PreferDualStack, selector: {app: web}, ports: [{port: 80}]}\n");
    return (await window.steady.objects("services")).find((s) => s.metadata.name === "web").spec.ipFamilies;
  });
  expect(await families()).toEqual(["IPv4", "IPv6"]);
  await page.waitForTimeout(1500);
  await page.reload();
  await opened(page);
  await expect(nodes(page)).toHaveCount(2);
  await expect(group.getByLabel("Addresses").locator("option:checked")).toHaveText("IPv4 and IPv6");
  expect(await families()).toEqual(["IPv4", "IPv6"]);
  // Other scenarios have the cluster that they need.
  await open(page, "#01-first-deployment");
  await expect(group).toHaveCount(0);
});

test("by keyboard, and the focus stays", async ({ page }) => {
  await open(page, "#22-empty");
  const select = begins(page).getByLabel("Nodes");
  await select.focus();
  await page.keyboard.press("5");
  await expect(nodes(page)).toHaveCount(5);
  await expect(select).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(begins(page).getByLabel("etcd members")).toBeFocused();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("the choice fits, in Chinese, too", async ({ page }) => {
    await open(page, "?lang=zh#22-empty");
    const group = begins(page, ".brief");
    await expect(group).toBeVisible();
    await group.getByLabel("节点").selectOption("1");
    await expect(nodes(page)).toHaveCount(1);
    await expect(group.getByLabel("地址")).toContainText("IPv4/IPv6 双协议栈");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await accessible(page);
  });
});
