import { createHash } from "node:crypto";
import { PRINT_BITS } from "./fingerprint.js";
import { type Keep, PRINT_RULE_TABLE } from "./print-rules.js";

/** The version of the rules. A change of them makes other prints from then on, and touches no task that has one. */
export const PRINT_RULES = 1;

/**
 * How the error of a task begins whose nodes died under it; where and when they did stands behind it. A store may make
 * such a text in SQL: its print is that of these words alone.
 */
export const NODES_DIED = "its nodes died";

/** How the error of an execution begins whose lease has ended; the consumer's name stands behind it, as above. */
export const LEASE_ENDED = "the lease of its consumer ended";

/** The longest title, and the longest place, in characters. */
const LONGEST = 200;
/** How much of a message is read, so that no text costs much. */
const READ_LINES = 3;
const READ_CHARACTERS = 1_000;

/** What is compared of an error. */
export interface ErrorPrint {
  /** Its name and message without what differs from case to case; at most 200 characters. */
  title: string;
  /** The function of the application that threw it, or its file; empty: no frame is the application's own. */
  place: string;
  /** The first 48 bits of SHA-256 over both; {@link fingerprintOf} shows it. */
  print: number;
}

/**
 * Two errors with the same print have the same cause, as far as their texts tell: they say the same but for numbers,
 * ids, times and the like, and come from the same function. A release that moves lines or folders keeps the print.
 *
 * Never throws, and costs some microseconds: no more than 1,000 characters of the message go through the rules.
 *
 * @param errorText as it is stored, see `errorText`
 * @example printOf("Error: order 42 is gone\n    at Orders.find (/app/orders.js:3:7)") // { title: "Error: order # is gone", place: "Orders.find", print: 81639207077160 }
 */
export function printOf(errorText: string): ErrorPrint {
  const ours = [NODES_DIED, LEASE_ENDED].find((words) => errorText.startsWith(words));
  const { title, place } = ours === undefined ? partsOf(errorText.split("\n")) : { title: ours, place: "" };
  const hash = createHash("sha256").update(`${title}\n${place}`).digest();
  return { title, place, print: hash.readUIntBE(0, PRINT_BITS / 8) };
}

function partsOf(lines: readonly string[]): { title: string; place: string } {
  const first = lines.findIndex(isFrame);
  const message = first < 0 ? lines : lines.slice(0, first);
  const frames = first < 0 ? [] : lines.slice(first).filter(isFrame);
  const read = message.slice(0, READ_LINES).join(" ").slice(0, READ_CHARACTERS);
  return { title: titleOf(read), place: placeOf(frames) };
}

/** Stands around the character that stands for a kept text: no character, so no text has a use for it. */
const MARK = "\ufdd0";
const FIRST_KEPT = 0xe000;

function titleOf(message: string): string {
  const aside: string[] = [];
  const keep: Keep = (text) => MARK + String.fromCharCode(FIRST_KEPT + aside.push(text) - 1) + MARK;
  let text = message.replaceAll(MARK, "");
  for (const { what, becomes } of PRINT_RULE_TABLE)
    text = text.replace(what, (found: string, group: string) =>
      typeof becomes === "string" ? becomes : becomes(found, keep, group),
    );
  const whole = text.replace(
    /\ufdd0([\ue000-\uf8ff])\ufdd0/g,
    (_all, at: string) => aside[at.charCodeAt(0) - FIRST_KEPT]!,
  );
  return shortened(whole.trim());
}

function isFrame(line: string): boolean {
  return /^\s+at /.test(line);
}

/** Where a frame is that is not the application's own: in Node.js, in a package, nowhere. */
const FOREIGN = /^(?:node:|internal\/|native|<anonymous>|eval at |index \d)|[\\/](?:node_modules|@tickwheel)[\\/]/;

/** The first frame of the application's own code: its function, or its file where the function has no name. */
function placeOf(frames: readonly string[]): string {
  for (const frame of frames) {
    const { called, where } = callOf(frame);
    if (!FOREIGN.test(where)) return shortened(nameOf(called) ?? fileOf(where));
  }
  return "";
}

/** @example callOf("    at async Orders.find (/app/orders.js:3:7)") // { called: "Orders.find", where: "/app/orders.js:3:7" } */
function callOf(frame: string): { called: string; where: string } {
  const call = frame.replace(/^\s+at (?:async )?/, "");
  const open = call.indexOf(" (");
  if (open < 0) return { called: "", where: call };
  return { called: call.slice(0, open), where: call.slice(open + 2).replace(/\)$/, "") };
}

/** A function's name without what the way of the call adds; null: it has none. */
function nameOf(called: string): string | null {
  const [name] = called
    .replace(/^(?:Object|Module|Function|Proxy)\./, "")
    .replaceAll("<anonymous>", "")
    .split(" [as ");
  return /[A-Za-z_$]/.test(name!) && !/^(?:eval|new Promise)$/.test(name!) ? name! : null;
}

/** A file without its folders, the hash that a bundler has put in, and its ending. */
function fileOf(where: string): string {
  const [path] = where.split("?");
  const name = path!
    .split(/[\\/]/)
    .at(-1)!
    .replace(/(?::\d+){1,2}$/, "");
  return name.replace(/[.-](?=[0-9a-zA-Z]*\d)[0-9a-zA-Z_]{6,}(?=\.\w+$)/, "").replace(/\.(?:[cm]?js|tsx?|jsx)$/, "");
}

/** Cut between characters. */
function shortened(text: string): string {
  return text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "");
}
