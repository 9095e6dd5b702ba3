import type { FindingValues } from "../reports/finding.js";
import { counted, durationInWords, numberInWords } from "./words.js";

/** Facts by their kind. What a row of another version lacks reads as nothing. */
export class Facts {
  constructor(private readonly values: FindingValues) {}

  text(name: string): string {
    const value = this.values[name];
    return typeof value === "string" ? value : "unknown";
  }

  has(name: string): boolean {
    return this.values[name] !== null && this.values[name] !== undefined;
  }

  is(name: string): boolean {
    return this.values[name] === true;
  }

  number(name: string): number {
    const value = this.values[name];
    return typeof value === "number" ? value : 0;
  }

  duration(name: string): string {
    return durationInWords(this.number(name));
  }

  list(name: string): readonly string[] {
    const value = this.values[name];
    return Array.isArray(value) ? (value as readonly string[]) : [];
  }

  /** `10.0.0.4:4711`, with the name before it where it has one. */
  get node(): string {
    const label = this.text("node");
    const name = this.text("nodeName");
    return this.has("nodeName") && name !== label ? `${name} (${label})` : label;
  }

  /** Whether it is about more than one schedule. */
  areMany(): boolean {
    return this.number("scheduleCount") > 1;
  }

  areManyBatches(): boolean {
    return this.number("batchCount") > 1;
  }

  /** `The batch nightly`, `2 batches`, `More than 100 batches`. */
  batches(): string {
    const count = this.number("batchCount");
    if (this.is("areMoreBatches")) return `More than ${numberInWords(count - 1)} batches`;
    return count > 1 ? `${numberInWords(count)} batches` : `The batch ${this.list("batches")[0] ?? "unknown"}`;
  }

  /** `the schedule nightly`, `2 schedules`, `More than 100 schedules`. */
  schedules(): string {
    const count = this.number("scheduleCount");
    if (this.is("areMoreSchedules")) return `More than ${numberInWords(count - 1)} schedules`;
    return count > 1 ? counted(count, "schedule") : `the schedule ${this.list("schedules")[0] ?? "unknown"}`;
  }

  overdue(): string {
    const count = counted(this.number("overdue"), "task");
    return this.is("isAtLeast") ? `More than ${numberInWords(this.number("overdue") - 1)} tasks are` : isOrAre(count);
  }
}

/** `1 task is`, `2 tasks are`. */
function isOrAre(count: string): string {
  return `${count} ${count.startsWith("1 ") ? "is" : "are"}`;
}
