#!/usr/bin/env node
// `npm run format` wraps the prose of documents and takes the padding out of their tables; `--check` only names the
// files. The formatter pads each cell to the widest of its column: one longer cell would then rewrite a page.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { format } from "oxfmt";

/** What is made of the contract is written as it is to be. */
const DOCUMENTS = ["*.md", ":!docs/reference.md"];
const FENCE = /^\s*(?:`{3,}|~{3,})/;
const ROW = /^\s*\|.*\|\s*$/;

/**
 * A document with one space beside each cell of its tables. What is between fences stays as it is.
 *
 * @param {string} text
 * @returns {string}
 */
export function unpadded(text) {
  let isCode = false;
  const lines = text.split("\n").map((line) => {
    if (FENCE.test(line)) isCode = !isCode;
    return isCode || !ROW.test(line) ? line : row(line);
  });
  return lines.join("\n");
}

function row(line) {
  const [indent] = /^\s*/.exec(line);
  // A bar behind a backslash belongs to its cell.
  const cells = line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replace(/^(:?)-+(:?)$/, "$1---$2"));
  return `${indent}| ${cells.join(" | ")} |`;
}

/** @returns a document as it is to be */
async function formatted(path, text, options) {
  const { code, errors } = await format(path, text, options);
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join("; ")}`);
  return unpadded(code);
}

async function main(isCheck) {
  const { printWidth, proseWrap } = JSON.parse(readFileSync(".oxfmtrc.json", "utf8"));
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...DOCUMENTS], { encoding: "utf8" });
  const unlike = [];
  for (const path of files.trim().split("\n")) {
    const text = readFileSync(path, "utf8");
    const better = await formatted(path, text, { printWidth, proseWrap });
    if (better === text) continue;
    unlike.push(path);
    if (!isCheck) writeFileSync(path, better);
  }
  if (!isCheck || unlike.length === 0) return;
  console.error(`\`npm run format\` changes these documents:\n${unlike.join("\n")}`);
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.includes("--check"));
