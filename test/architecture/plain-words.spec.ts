import { describe, expect, test } from "@jest/globals";
import { documentFiles, filesUnder, read } from "./project-files.js";

interface Mannerism {
  /** What is out. */
  opening: string;
  /** Finds it in one sentence. */
  pattern: RegExp;
  bad: string;
  good: string;
}

/** What comments, docstrings and names of tests do without: CONTRIBUTING.md, "Plain words". */
const MANNERISMS: Mannerism[] = [
  {
    opening: '"Of …" at the beginning of a sentence',
    pattern: /^(?:[-*] )?Of\b/,
    bad: "Of `rate` alone: an instant from which it counts.",
    good: "For `rate` alone: an instant of the schedule from which it counts.",
  },
  {
    opening: '"So many …" at the beginning of a sentence',
    pattern: /^(?:\[[\w-]+\]: )?(?:[-*] )?so (?:many|much|long|often|few)\b(?! as\b)/i,
    bad: "[all-bounded]: so many calls of a node wait at once.",
    good: "How many calls of a node wait at once: so many that no caller is refused early.",
  },
  {
    opening: '"… is told so"',
    pattern: /\btold so\b/i,
    bad: "The claim's lease ends, and the node is told so.",
    good: "The claim's lease ends, and the node learns of it.",
  },
  {
    opening: '"whoever"',
    pattern: /\bwhoever\b/i,
    bad: "It waits for whoever is entering.",
    good: "It waits for transactions that are entering.",
  },
  {
    opening: '"nobody … anybody"',
    pattern: /\bnobody\b[^.;:]*\b(?:any|no)body\b/i,
    bad: "Nobody keeps anybody waiting.",
    good: "A caller keeps nobody waiting: anybody may call at any time.",
  },
  {
    opening: '"Who … is told"',
    pattern: /^(?:one )?who\b[^.;:]*\bis told\b/i,
    bad: "Who may not see the nodes is told the mean.",
    good: "A user who may not see the nodes gets the mean.",
  },
  {
    opening: '"What has no …", "Who does not …"',
    pattern:
      /^(?:[-*] )?(?:what|who|whose|whatever) (?:is|are|was|has|have|had|does|did|do|can|may|needs|takes|gets|got|gives|wants) (?:no|not|nothing|nobody|none|neither)\b/i,
    bad: "What has no length and comes in no chunks has no body.",
    good: "A request without a length and without chunks has no body, whatever its headers say.",
  },
];

/** A name of a test that begins so goes on with the name around it, and says little alone. */
const HAS_NO_SUBJECT =
  /^(?:is|are|was|were|has|have|does|do|may|can|cannot|of|that|it|its|whose|tells|takes|gives|keeps|says|refuses|finds|goes|holds|lets|asks|sees|makes|begins)\b/;

/** Sentences of a comment; a tag and an item of a list begin one, too. */
function sentencesOf(comment: string): string[] {
  return comment
    .split(/\n\n|(?<=[.!?:;])\s+(?=[A-Z`{"'«(0-9])|\s+(?=@[a-z]+\b)|\s+(?=- [A-Z`])/)
    .map((sentence) => sentence.trim());
}

/** The comments of a source: blocks, lines of `//` that follow each other, and what stands behind code. */
function commentsOf(source: string): string[] {
  const blocks = [...source.matchAll(/(?:^|\s)\/\*\*?(?!\/)([^]*?)\*\//g)].map(([, text = ""]) =>
    text.replaceAll(/\n[ \t]*\*[ \t]*(?=\n|$)/g, "\n\n").replaceAll(/\n[ \t]*\*[ \t]?/g, " "),
  );
  const runs = [...source.matchAll(/^[ \t]*\/\/ .*(?:\n[ \t]*\/\/ .*)*/gm)].map(([text]) =>
    text.replaceAll(/(?:^|\n)[ \t]*\/\/ /g, " "),
  );
  const behind = [...source.matchAll(/^.*\S.*[;,{)] \/\/ (.*)$/gm)].map(([, text = ""]) => text);
  return [...blocks, ...runs, ...behind];
}

/** Names of tests. One that begins at the margin is a whole sentence; the others go on with the name around them. */
function namesOf(source: string): string[] {
  const calls = source.matchAll(
    /^([ \t]*)(?:.*(?<![.\w])(?:describe|it|test)(?:\.\w+)*|(?:.*[\])])?(?: as const)?\))\(\s*(["'`])((?:\\.|(?!\2).)*)\2/gm,
  );
  return [...calls].map(([, margin, , name = ""]) => (margin === "" ? name.replace(/^of\b/, "Of") : name));
}

/**
 * The paragraphs, items and cells of a document, without headings, fences and the pairs of sentences before and after.
 */
function blocksOf(document: string): string[] {
  const prose = document
    .replaceAll(/^```[^]*?^```$/gm, "")
    .replaceAll(/^\| before \| after \|\n(?:\|.*\n)*/gm, "")
    .replaceAll(/^\|(.*)\|$/gm, (_, row: string) => `\n\n${row.replaceAll(" | ", "\n\n")}\n\n`)
    .replaceAll(/^#+ .*$/gm, "")
    .replaceAll(/^(?:[-*]|\d+\.) /gm, "\n\n");
  return prose.split(/\n\s*\n/).map((block) => block.replaceAll(/\s+/g, " ").trim());
}

const isSpec = (path: string): boolean => /\.(?:spec|cases|calls)\.tsx?$/.test(path);
const sources = ["libs", "apps", "test"]
  .flatMap(filesUnder)
  .filter((path) => /\.(?:tsx?|mjs)$/.test(path) && !path.includes(".generated."))
  .map((path) => ({ path, source: read(path) }));
const names = sources
  .filter(({ path }) => isSpec(path) && !path.endsWith("plain-words.spec.ts"))
  .flatMap(({ source }) => namesOf(source));
const sentences = sources.flatMap(({ path, source }) =>
  [...commentsOf(source), ...(isSpec(path) ? namesOf(source) : [])]
    .flatMap(sentencesOf)
    .map((sentence) => ({ path, sentence })),
);

const documents = documentFiles().flatMap((path) =>
  blocksOf(read(path))
    .flatMap(sentencesOf)
    .map((sentence) => ({ path, sentence })),
);

describe.each(MANNERISMS)("$opening", ({ pattern, bad, good }) => {
  test("a mannerism is found where it stands, and only there", () => {
    expect(sentencesOf(bad).some((sentence) => pattern.test(sentence))).toBe(true);
    expect(sentencesOf(good).some((sentence) => pattern.test(sentence))).toBe(false);
  });

  test("a mannerism stands in no comment and in no name of a test", () => {
    const found = sentences.filter(({ sentence }) => pattern.test(sentence));
    expect(found).toEqual([]);
  });

  test("a mannerism stands in no document", () => {
    expect(documents.filter(({ sentence }) => pattern.test(sentence))).toEqual([]);
  });
});

test("the name of a test begins with its subject", () => {
  expect(["is refused", "of a node, once", "it ends"].every((name) => HAS_NO_SUBJECT.test(name))).toBe(true);
  expect(["a task is refused", "isolation of two nodes"].some((name) => HAS_NO_SUBJECT.test(name))).toBe(false);
  expect(names.filter((name) => HAS_NO_SUBJECT.test(name))).toEqual([]);
});

test.each([
  ["/** A block. Its end. */", ["A block.", "Its end."]],
  [
    "  /**\n   * A block\n   * of two lines.\n   *\n   * @param x its tag\n   */",
    ["A block of two lines.", "@param x its tag"],
  ],
  ["// Two\n// lines.", ["Two lines."]],
  ["call(); // Behind code", ["Behind code"]],
  ["const url = 'https://host.example'; /* In code */", ["In code"]],
])("the sentences of the comment in %j are %j", (source, sentences) => {
  expect(commentsOf(source).flatMap(sentencesOf).filter(Boolean)).toEqual(sentences);
});

test.each([
  ['test("of a list", () => {', ["Of a list"]],
  ['  test("of a list", () => {', ["of a list"]],
  ['])("of %s", (text) => {', ["Of %s"]],
  ['test.each([1])("of %i", (count) => {', ["Of %i"]],
])("the name of a test in %j is %j", (source, names) => {
  expect(namesOf(source)).toEqual(names);
});

test("the sentences of a document are those of its paragraphs, items and cells", () => {
  const document =
    "# A page\n\nOne line\nof two. Its end.\n\n- An item.\n\n| a | b |\n| --- | --- |\n\n```ts\nOf code\n```\n";
  const found = blocksOf(document)
    .flatMap(sentencesOf)
    .filter((sentence) => /\w/.test(sentence));
  expect(found).toEqual(["One line of two.", "Its end.", "An item.", "a", "b"]);
});
