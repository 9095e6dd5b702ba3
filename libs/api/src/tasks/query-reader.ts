import {
  type EpochMs,
  type Fault,
  isTaskId,
  readTabCursor,
  TASK_STATES,
  type TaskState,
  type TaskTab,
} from "@tickwheel/core";
import { UNKNOWN_PARAMETER } from "../bodies/known-parameters.guard.js";
import { DEFAULT_PAGE, MAX_PAGE, parseInstant, textRule, throwFaults } from "@tickwheel/calls";

const BAD_CURSOR = "must be a cursor that this list gave";

/** Reads parameters one by one and collects what is wrong with them. */
export class QueryReader {
  private readonly faults: Fault[] = [];
  private readonly read = new Set<string>();

  constructor(private readonly query: Readonly<Record<string, unknown>>) {}

  text(name: string, maxLength: number): string | undefined {
    const rule = textRule(1, maxLength);
    return this.parse(name, `must be 1 to ${maxLength} characters without NUL or a lone surrogate`, (value) =>
      rule(value) === null ? value : undefined,
    );
  }

  states(name: string): TaskState[] | undefined {
    return this.words(name, TASK_STATES);
  }

  /** Some of these words, with commas between them. */
  words<Word extends string>(name: string, words: readonly Word[]): Word[] | undefined {
    return this.parse(name, `must be among ${words.join(", ")}`, (value) => {
      const given = value.split(",");
      return given.every((word) => (words as readonly string[]).includes(word)) ? (given as Word[]) : undefined;
    });
  }

  /** One of these words. */
  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    return this.parse(name, `must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`, (value) =>
      words.find((word) => word === value),
    );
  }

  flag(name: string): boolean | undefined {
    return this.parse(name, "must be true or false", (value) =>
      value === "true" ? true : value === "false" ? false : undefined,
    );
  }

  instant(name: string): EpochMs | undefined {
    return this.parse(name, "must be an ISO 8601 instant with offset", (value) => parseInstant(value) ?? undefined);
  }

  limit(name: string): number {
    return this.count(name, MAX_PAGE) ?? DEFAULT_PAGE;
  }

  /** A whole number from 1 to `max`, which has four digits at most. */
  count(name: string, max: number): number | undefined {
    return this.parse(name, `must be an integer from 1 to ${max}`, (value) => {
      const number = /^\d{1,4}$/.test(value) ? Number(value) : 0;
      return number >= 1 && number <= max ? number : undefined;
    });
  }

  /** The cursor of another list; `read` answers undefined for what that list did not give. */
  cursorBy<Place>(name: string, read: (text: string) => Place | undefined): Place | undefined {
    return this.parse(name, BAD_CURSOR, read);
  }

  /** The cursor of a list of tasks. */
  cursor(name: string): string | undefined {
    return this.parse(name, BAD_CURSOR, (value) => (isTaskId(value) ? value.toLowerCase() : undefined));
  }

  /** The cursor of a journal. */
  place(name: string): number | undefined {
    return this.parse(name, BAD_CURSOR, (value) => (/^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined));
  }

  /** A stretch of time, which `to` ends. */
  range(name: string): { from: EpochMs | undefined; to: EpochMs | undefined } {
    const from = this.instant(`${name}From`);
    const to = this.instant(`${name}To`);
    if (from !== undefined && to !== undefined && from >= to) this.refuse(`${name}To`, `must be after ${name}From`);
    return { from, to };
  }

  /** The cursor of a tab's list. */
  tabCursor(name: string, tab: TaskTab): string | undefined {
    return this.parse(name, BAD_CURSOR, (value) => (readTabCursor(tab, value) ? value : undefined));
  }

  /** Tells what is wrong with a parameter beside others. */
  refuse(path: string, message: string): void {
    this.faults.push({ path, message });
  }

  /** Throws what was wrong; parameters that nobody read are wrong too. */
  finish(): void {
    for (const name of Object.keys(this.query)) if (!this.read.has(name)) this.refuse(name, UNKNOWN_PARAMETER);
    throwFaults(this.faults);
  }

  private parse<T>(name: string, message: string, parser: (value: string) => T | undefined): T | undefined {
    this.read.add(name);
    const given = this.query[name];
    if (given === undefined) return undefined;
    const value = name === "state" && isTexts(given) ? given.join(",") : given;
    const parsed = typeof value === "string" ? parser(value) : undefined;
    if (parsed === undefined) this.refuse(name, message);
    return parsed;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
