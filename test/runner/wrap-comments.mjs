#!/usr/bin/env node
// `npm run format` wraps comments that are wider than the editor; `--check` only names the files. The formatter does
// the same for the prose of documents.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** As the formatter has it for code and prose. */
const WIDTH = 120;
/** What is made of the contract is wrapped where it is made. */
const SOURCES = ["*.ts", "*.tsx", "*.mjs", "*.js", ":!*.generated.ts"];
/** What is drawn or lined up keeps its shape. */
const DRAWN = /[│─┌┐└┘├┤▶◀▲▼]|\S {2,}\S|^\s{4,}\S|^\||```/;
const ITEM = /^(?:[-*]|\d+\.) /;

/**
 * A source with its wide comments wrapped. Only paragraphs with a line beyond the width are touched; examples, drawings
 * and lists keep their shape, and a word that is wider stays.
 */
export function wrapped(source, width = WIDTH) {
  const lines = source.split("\n");
  const result = [];
  for (let at = 0; at < lines.length;) {
    const block = blockAt(lines, at);
    result.push(...(block ? block.wrap(width) : [lines[at]]));
    at += block ? block.lines.length : 1;
  }
  return result.join("\n");
}

function blockAt(lines, at) {
  const [, indent] = /^(\s*)(?:\/\*\*?(?!\/)|\/\/ )/.exec(lines[at]) ?? [];
  if (indent === undefined) return null;
  return lines[at].startsWith("//", indent.length)
    ? lineBlock(lines, { at, indent })
    : starBlock(lines, { at, indent });
}

/** Lines that begin with `//`. */
function lineBlock(lines, { at, indent }) {
  const prefix = `${indent}// `;
  let end = at;
  while (lines[end]?.startsWith(prefix)) end++;
  const own = lines.slice(at, end);
  const texts = own.map((line) => line.slice(prefix.length));
  return {
    lines: own,
    wrap: (width) =>
      // A directive of a tool is one line.
      own.every((line) => line.length <= width) || texts.some((text) => /^(@ts-|oxlint-|oxfmt-|eslint-)/.test(text))
        ? own
        : paragraphs(texts, width - prefix.length).map((text) => `${prefix}${text}`.trimEnd()),
  };
}

/** From `/**` to its end; null where code follows on the same line. */
function starBlock(lines, { at, indent }) {
  let end = at;
  while (end < lines.length && !lines[end].includes("*/")) end++;
  if (end === lines.length || !lines[end].trimEnd().endsWith("*/")) return null;
  const own = lines.slice(at, end + 1);
  const opening = /^\s*(\/\*\*?)/.exec(own[0])[1];
  const texts = textsOf(own);
  return {
    lines: own,
    wrap(width) {
      const isDrawing = texts.length === 1 && DRAWN.test(texts[0]);
      if (isDrawing || own.every((line) => line.length <= width)) return own;
      const inner = paragraphs(texts, width - indent.length - 3).map((text) => `${indent} * ${text}`.trimEnd());
      return [`${indent}${opening}`, ...inner, `${indent} */`];
    },
  };
}

function textsOf(lines) {
  const texts = lines.map((line, index) => {
    const text = index === 0 ? line.replace(/^\s*\/\*\*? ?/, "") : line.replace(/^\s*\* ?(?!\/)/, "");
    return index === lines.length - 1 ? text.replace(/\s*\*\/\s*$/, "").replace(/^\s+$/, "") : text;
  });
  if (texts[0].trim() === "") texts.shift();
  if (texts.length > 0 && texts.at(-1).trim() === "") texts.pop();
  return texts;
}

/** Lines put together to paragraphs, and those that are too wide cut anew. */
function paragraphs(texts, width) {
  const result = [];
  let current = [];
  let isExample = false;
  const flush = () => {
    result.push(...fitted(current, width));
    current = [];
  };
  for (const text of texts) {
    if (text.startsWith("@")) isExample = text.startsWith("@example");
    const isOwn = isExample || text.trim() === "" || DRAWN.test(text);
    if (isOwn || text.startsWith("@") || ITEM.test(text)) flush();
    if (isOwn) result.push(text);
    else current.push(text);
  }
  flush();
  return result;
}

/** What belongs to a tag or an item is indented behind its first line. */
function fitted(lines, width) {
  if (lines.every((line) => line.length <= width)) return lines;
  const indent = lines[0].startsWith("@") || ITEM.test(lines[0]) ? "  " : "";
  const result = [];
  let line = "";
  for (const word of wordsOf(lines)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      result.push(line);
      line = `${indent}${word}`;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...result, line];
}

/** Code and links of a comment are one word each. */
function wordsOf(lines) {
  return lines
    .map((line) => line.trim())
    .join(" ")
    .match(/(?:`[^`]*`|\{@link [^}]*\}|\S)+/g);
}

function main(isCheck) {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...SOURCES], { encoding: "utf8" });
  const wide = [];
  for (const path of files.trim().split("\n")) {
    const text = readFileSync(path, "utf8");
    const better = wrapped(text);
    if (better === text) continue;
    wide.push(path);
    if (!isCheck) writeFileSync(path, better);
  }
  if (!isCheck || wide.length === 0) return;
  console.error(`Comments are wider than ${WIDTH} characters, which \`npm run format\` mends, in:\n${wide.join("\n")}`);
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(process.argv.includes("--check"));
