import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { type HowToPage, readPage } from "../support/how-to/how-to-page.js";
import { TreeCopy } from "../support/how-to/tree-copy.js";
import { repositoryRoot } from "../support/node-process.js";

const FOLDER = join(repositoryRoot, "docs/how-to");
const pages = readdirSync(FOLDER).filter((name) => name.endsWith(".md"));

let tree: TreeCopy | null = null;
afterEach(() => {
  tree?.remove();
  tree = null;
});

test("each how-to page has a patch, and each patch a page", () => {
  const patches = readdirSync(join(import.meta.dirname, "how-to")).map((name) => name.replace(/\.patch$/, ".md"));
  expect(patches.toSorted()).toEqual(pages.toSorted());
  expect(pages.length).toBeGreaterThan(7);
});

test.each(pages)(
  "the how-to page %s names all files that its change touches, and what is red where one is forgotten",
  (name) => {
    const page = readPage(readFileSync(join(FOLDER, name), "utf8"));
    tree = TreeCopy.make();
    tree.patch(join(import.meta.dirname, "how-to", name.replace(/\.md$/, ".patch")));
    finish(tree, page);
    // A page that says nothing of a green end has a patch of some of its steps.
    const isWhole = page.green.length > 0;
    const named = [...page.steps.flat(), ...page.generated].toSorted();
    const changed = tree.changed();
    expect(changed.filter((path) => !named.includes(path))).toEqual([]);
    if (isWhole) expect(changed).toEqual(named);
    for (const run of page.green) expect({ run, output: tree.run(run) }).toEqual({ run, output: "green" });
    for (const row of page.forgotten) expectRed(tree, page, row);
  },
);

/** What is generated may be needed by what is written by hand. */
function finish(copy: TreeCopy, page: HowToPage): void {
  copy.prepare();
  copy.generate();
  for (const command of page.commands) copy.shell(command);
}

/** Without one of its steps, what the page names is red. */
function expectRed(copy: TreeCopy, page: HowToPage, { step, red }: HowToPage["forgotten"][number]): void {
  const restore = copy.forget(step === "generate" ? page.generated : page.steps[step - 1]!);
  try {
    expect({ step, red, output: copy.run(red) }).not.toEqual({ step, red, output: "green" });
  } finally {
    restore();
  }
}
