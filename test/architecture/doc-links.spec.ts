import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { documentFiles, root } from "./project-files.js";

const documents = documentFiles();

const QUESTIONS = "docs/guides/questions.md";

/** A document without its fences and what stands between backticks. */
function proseOf(file: string): string {
  const text = readFileSync(join(root, file), "utf8");
  return text
    .replaceAll(/^(?:```|~~~)[\s\S]*?^(?:```|~~~)$/gm, "")
    .replaceAll(/`[^`\n]*`/g, (code) => code.slice(1, -1));
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(file: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of proseOf(file).matchAll(/^#{1,6} (.+)$/gm)) {
    const text = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").trim();
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Where the links of a document lead, within the repository. */
function linksOf(file: string): { link: string; to: string; anchor: string | null }[] {
  const found = [...proseOf(file).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link]) => link!);
  return found.map((link) => {
    const [path = "", anchor] = link.split("#");
    const to = path === "" ? file : relative(root, join(root, dirname(file), path));
    return { link, to, anchor: anchor ?? null };
  });
}

function isDead({ to, anchor }: { to: string; anchor: string | null }): boolean {
  const path = join(root, to);
  if (!existsSync(path)) return true;
  return anchor !== null && to.endsWith(".md") && statSync(path).isFile() && !anchorsOf(to).has(anchor);
}

test("every link of a document leads to a file that is there, and to a heading of it", () => {
  expect(documents.length).toBeGreaterThan(90);
  const dead = documents.flatMap((file) =>
    linksOf(file)
      .filter(isDead)
      .map(({ link }) => `${file}: ${link}`),
  );
  expect(dead).toEqual([]);
});

describe("the questions of a first week", () => {
  const sections = readFileSync(join(root, QUESTIONS), "utf8").split(/^## /m).slice(1);

  test("the questions of a first week are twenty-five, one click from README", () => {
    expect(sections).toHaveLength(25);
    expect(linksOf("README.md").map(({ to }) => to)).toContain(QUESTIONS);
  });

  test("the questions of a first week have an answer or a link each", () => {
    const answered = sections.filter((section) => /\]\([^)]+\)|`[^`]+`/.test(section));
    expect(answered).toHaveLength(25);
  });
});
