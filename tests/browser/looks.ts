// What holds for everything that the page shows: labels, contrast, and room on the screen of a small phone.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** What assistive technology would stumble over; runs in the page. */
export function faultsOf(): string[] {
  const faults: string[] = [];
  const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true });
  const describe = (element: Element) => element.outerHTML.slice(0, 120);
  for (const element of document.querySelectorAll("input, select, textarea")) {
    const { labels } = element as HTMLInputElement;
    const named = element.ariaLabel || labels?.length || element.getAttribute("aria-labelledby");
    if (isShown(element) && !named) faults.push(`no label: ${describe(element)}`);
  }
  for (const element of document.querySelectorAll("button, a, [role=menuitem]")) {
    const named = element.ariaLabel || element.textContent?.trim();
    if (isShown(element) && !named) faults.push(`no name: ${describe(element)}`);
  }
  for (const element of document.querySelectorAll("img:not([alt])")) {
    faults.push(`no alternative: ${describe(element)}`);
  }
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption) faults.push("a table without a caption");
    if (table.querySelector("thead th:not([scope])")) faults.push("a head without a scope");
  }
  for (
    const element of document.querySelectorAll("[aria-labelledby], [aria-describedby], label[for]")
  ) {
    const ids = ["aria-labelledby", "aria-describedby", "for"]
      .flatMap((name) => element.getAttribute(name)?.split(" ") ?? []);
    for (const id of ids) {
      if (!document.getElementById(id)) faults.push(`refers to nothing: ${describe(element)}`);
    }
  }
  const ids = Array.from(document.querySelectorAll("[id]"), ({ id }) => id);
  if (new Set(ids).size !== ids.length) faults.push("two elements with one id");
  if (document.querySelectorAll("main").length !== 1) faults.push("not one main");
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  if (document.documentElement.lang === "") faults.push("no language");
  return faults;
}

/** The text that is hard to read against what is behind it; runs in the page. */
export function faintTexts(): string[] {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
  const channels = (color: string) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const luminance = (rgba: Uint8ClampedArray) => {
    const [r, g, b] = Array.from(rgba.subarray(0, 3), (value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element: Element): Uint8ClampedArray => {
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const rgba = channels(getComputedStyle(at).backgroundColor);
      if (rgba[3] === 255) return new Uint8ClampedArray(rgba);
    }
    return new Uint8ClampedArray([255, 255, 255, 255]);
  };
  const faint: string[] = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) =>
      node.nodeType === 3 && node.nodeValue!.trim()
    );
    if (!own || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) {
      continue;
    }
    if (element.closest(".unseen, :disabled, svg, .skip")) continue;
    const texts = luminance(new Uint8ClampedArray(channels(getComputedStyle(element).color)));
    const ground = luminance(behind(element));
    const ratio = (Math.max(texts, ground) + 0.05) / (Math.min(texts, ground) + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(1)}: ${element.textContent?.trim().slice(0, 40)}`);
  }
  return faint;
}

/** Nothing reaches beyond the sides of the window. */
export async function assertWithin(page: Page, what: string): Promise<void> {
  const [content, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  assert.ok(content <= window, `${what} is ${content} px wide in a window of ${window}`);
}

/** Everything that holds for whatever a page shows, in light and dark. */
export async function assertLooks(page: Page, what: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    // A colour on its way from light to dark would be neither.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    assert.deepEqual(await page.evaluate(faultsOf), [], what);
    assert.deepEqual(await page.evaluate(faintTexts), [], `${what}, ${colorScheme}`);
  }
  await assertWithin(page, what);
}
