import type { TaskFilter } from "../api/asked.js";
import { faultOfWord, filterWords, stateWords, type FilterWord, type WordValues } from "../place/tasks-place.js";
import { spanForms } from "../time/span.js";
import { didYouMean } from "./did-you-mean.js";

/** A part of the line that cannot be read. */
export interface LineFault {
  /** Where it stands, in characters; `to` exclusive. */
  readonly from: number;
  readonly to: number;
  readonly detail: string;
  /** What it may be meant to be, in its place; null: nothing is like it. */
  readonly instead: string | null;
}

export interface LineReading {
  /** What was said by the words that could be read. */
  readonly values: WordValues;
  readonly faults: readonly LineFault[];
}

/** A word with its value, which may stand in quotation marks, or whatever else stands between blanks. */
const aPart = /([^\s:"]*):("(?:[^"\\]|\\.)*"|\S*)|\S+/gu;

/**
 * Reads the line of a filter: words with their values, in any order, such as `type:mail.send due:<1h error:"HttpError
 * 503"`. A value with blanks stands in quotation marks, as a text of JSON. Never throws: what cannot be read is a
 * fault, with its place.
 */
export function readLine(line: string): LineReading {
  const values: WordValues = {};
  const faults: LineFault[] = [];
  for (const match of line.matchAll(aPart)) {
    const [part, name, written] = match;
    const place = { from: match.index, to: match.index + part.length };
    const read = readPart(part, name, written ?? "");
    if ("detail" in read) faults.push({ ...place, ...read });
    else if (values[read.word] !== undefined)
      faults.push({ ...place, detail: `${read.word} is said twice`, instead: "" });
    else values[read.word] = read.value;
  }
  return { values, faults };
}

type PartReading = { readonly word: FilterWord; readonly value: string } | Pick<LineFault, "detail" | "instead">;

function readPart(part: string, name: string | undefined, written: string): PartReading {
  if (name === undefined) return { detail: `${part} has no word before it`, instead: `key:${part}` };
  const word = filterWords.find((one) => one === name);
  if (word === undefined) {
    const meant = didYouMean(name, filterWords);
    return { detail: `there is no word ${name || "before the colon"}`, instead: meant && `${meant}:${written}` };
  }
  const value = valueOf(written);
  if (value === null) return { detail: `what ${word} says has no end`, instead: null };
  const fault = faultOfWord(word, value);
  return fault === null ? { word, value } : faultyValue(word, value, fault);
}

function faultyValue(word: FilterWord, value: string, fault: "empty" | "span" | "state"): PartReading {
  if (fault === "empty") return { detail: `${word} says nothing`, instead: null };
  if (fault === "span") return { detail: `${word} is such as ${spanForms}`, instead: null };
  const meant = didYouMean(value, stateWords);
  return { detail: `there is no state ${value}`, instead: meant && `state:${meant}` };
}

/** Null: its quotation mark is not closed, or what stands in them is no text of JSON. */
function valueOf(written: string): string | null {
  if (!written.startsWith('"')) return written;
  try {
    return JSON.parse(written) as string;
  } catch {
    return null;
  }
}

const needsMarks = /[\s"\p{Cc}\p{Cf}]/u;

/** The filter as {@link readLine} reads it. */
export function lineOf(filter: TaskFilter): string {
  const parts = filterWords.flatMap((word) => {
    const value = filter[word];
    return value ? `${word}:${needsMarks.test(value) ? JSON.stringify(value) : value}` : [];
  });
  return parts.join(" ");
}

/** The line with what was meant in the place of a fault. */
export function corrected(line: string, { from, to, instead }: LineFault): string {
  return `${line.slice(0, from)}${instead ?? ""}${line.slice(to)}`.trim();
}

/** The line with one more word, whose value is still to be written. */
export function lineWith(line: string, word: FilterWord): string {
  return `${line.trimEnd()}${line.trim() === "" ? "" : " "}${word}:`;
}
