import { expect, test } from "@jest/globals";
import { FINDING_CODES } from "@tickwheel/core";
import { read } from "./project-files.js";

const paragraphs = [...read("docs/runbook.md").matchAll(/^## (\S+)\n([^]*?)(?=^## |$(?![^]))/gm)].map(
  ([, code, text]) => [code!, text!] as const,
);

test("the runbook has a paragraph for each finding, and for nothing else", () => {
  const codes = paragraphs.map(([code]) => code);
  expect(codes.toSorted()).toEqual([...FINDING_CODES].sort());
});

test.each(paragraphs)(
  "the runbook's paragraph on %s tells what it means, what to check, the cure and the way back",
  (_, text) => {
    const labels = [...text.matchAll(/^\*\*(.+?)\.\*\* \S/gm)].map(([, label]) => label);
    expect(labels).toEqual(["Meaning", "Check", "Cure", "Way back"]);
  },
);
