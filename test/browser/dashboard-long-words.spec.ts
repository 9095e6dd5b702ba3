import { expect, test } from "@jest/globals";
import { eventually } from "../support/eventually.js";
import { dashboardOfSpec } from "../support/dashboard-page.js";

const dashboard = dashboardOfSpec();

/** As long as each name may be, without a place to break. */
const WORDS = { type: "t".repeat(128), key: "k".repeat(200), tag: "g".repeat(60), name: "n".repeat(100) };
const SIZES = [
  { width: 1_280, height: 800 },
  { width: 390, height: 800 },
];

/** What stands beyond the right edge of the page; empty: the page is as wide as its window. */
const BEYOND = `(() => {
  const { scrollWidth, clientWidth } = document.scrollingElement;
  if (scrollWidth <= clientWidth) return [];
  return [...document.body.querySelectorAll("*")]
    .filter((one) => one.getBoundingClientRect().right > clientWidth + 1)
    .map((one) => one.tagName + "." + one.className).slice(0, 8).concat(scrollWidth + " of " + clientWidth);
})()`;

/** The fragments of the pages that show these words, each with the one that it is waited for; null: with none. */
async function makeLongWords(): Promise<[string, string | null][]> {
  const { client } = dashboard;
  const { type, key, tag, name } = WORDS;
  const payload = { ["p".repeat(300)]: "v".repeat(3_000) };
  const task = await client.schedule({ type, key, tags: [tag], payload, delay: 60_000 });
  const schedule = { name, type, every: "1h", overlap: "skip", payload, tags: [tag] };
  const made = await client.post<{ name: string }>("/v1/schedules", schedule);
  expect(made.status).toBe(201);
  const batch = await client.post<{ batch: { id: string } }>("/v1/batches", {
    name,
    onComplete: { type, payload },
    tasks: [{ type, payload }],
  });
  expect(batch.status).toBe(201);
  const batchId = (batch.body as unknown as { id?: string }).id ?? batch.body.batch.id;
  return [
    ...of(type, "#/tasks", `#/tasks/scheduled?q=type:${type}`, `#/tasks?q=key:${key}`, `#/tasks?q=tag:${tag}`),
    ...of(key, `#/tasks/${task.id}`),
    ...of(type, "#/types", `#/types/${type}`),
    ...of(name, "#/schedules", `#/schedules/${name}`, `#/schedules/${name}/edit`, "#/batches", `#/batches/${batchId}`),
    // The batch's task is overdue, and nobody runs its type.
    ...of(`No live node runs ${type}`, "#/"),
    ...of(null, "#/cluster"),
  ];
}

function of(word: string | null, ...fragments: string[]): [string, string | null][] {
  return fragments.map((fragment) => [fragment, word]);
}

/** Whether the page shows a word, or holds it in a field; null: its title is enough. */
function showsText(word: string | null): string {
  if (word === null) return 'document.querySelector("main h1") !== null';
  const shows = `(one) => (one.value ?? one.textContent ?? "").includes(${JSON.stringify(word)})`;
  return `[...document.querySelectorAll("main, main input, main textarea")].some(${shows})`;
}

test("no page grows wider than its window on long words", async () => {
  const { page } = dashboard;
  const fragments = await makeLongWords();
  await dashboard.logIn();
  const wide: string[] = [];
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const [fragment, word] of fragments) {
      await dashboard.open("#/cluster");
      await dashboard.open(fragment);
      await eventually(async () => expect(await page.evaluate(showsText(word))).toBe(true));
      const beyond = (await page.evaluate(BEYOND)) as string[];
      if (beyond.length > 0) wide.push(`${fragment.slice(0, 24)} at ${size.width}: ${beyond.join(", ")}`);
    }
  }
  expect(wide).toEqual([]);
});
