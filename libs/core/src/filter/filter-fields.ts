import { MAX_TAG_LENGTH } from "../task/tags.js";
import { TERMINAL_REASONS } from "../task/task.js";
import { FILTER_STATES, MAX_ERROR_FILTER } from "./task-filter.js";

/** What a field of a filter takes, and how it is written. */
export type FilterField = { word: string } & (
  | {
      kind: "list";
      /** The most values. */
      most: number;
      value: ValueRule;
      /** Whether the line may say it more than once: its values come together. */
      isRepeated?: true;
      isNegatable?: true;
    }
  | { kind: "one"; value: ValueRule; isNegatable?: true }
  | { kind: "flag" }
  /** A half-open range of instants. A duration is an age, or a time to go. */
  | { kind: "instants"; durationIs: "age" | "ahead" }
  /** A range of whole numbers, both ends included. */
  | { kind: "numbers"; least: number; greatest: number }
);

/** What a single value is. */
export type ValueRule =
  | { is: "text"; longest: number }
  /** A text that may end with `*`. */
  | { is: "name"; longest: number }
  | { is: "word"; words: readonly string[] }
  | { is: "uuid" };

const text = (longest: number) => ({ is: "text", longest }) as const;

/**
 * The fields of a filter by their names in code, in the order in which a line is written. A range has the two names
 * with `From` and `To` behind it. `word` is the name in the line.
 */
export const FILTER_FIELDS = {
  states: { word: "state", kind: "list", most: 50, value: { is: "word", words: FILTER_STATES } },
  type: { word: "type", kind: "list", most: 50, value: { is: "name", longest: 128 }, isNegatable: true },
  key: { word: "key", kind: "one", value: text(256) },
  keyPrefix: { word: "keyPrefix", kind: "one", value: text(256) },
  live: { word: "live", kind: "flag" },
  tag: { word: "tag", kind: "list", most: 8, value: text(MAX_TAG_LENGTH), isRepeated: true, isNegatable: true },
  id: { word: "id", kind: "list", most: 1_000, value: { is: "uuid" } },
  batch: { word: "batch", kind: "one", value: { is: "uuid" } },
  created: { word: "created", kind: "instants", durationIs: "age" },
  scheduled: { word: "scheduled", kind: "instants", durationIs: "ahead" },
  due: { word: "due", kind: "instants", durationIs: "ahead" },
  started: { word: "started", kind: "instants", durationIs: "age" },
  finished: { word: "finished", kind: "instants", durationIs: "age" },
  priority: { word: "priority", kind: "numbers", least: 0, greatest: 9 },
  attempt: { word: "attempt", kind: "numbers", least: 0, greatest: 1_000 },
  node: { word: "node", kind: "one", value: text(256), isNegatable: true },
  error: { word: "error", kind: "one", value: text(MAX_ERROR_FILTER), isNegatable: true },
  reason: { word: "reason", kind: "list", most: 50, value: { is: "word", words: TERMINAL_REASONS }, isNegatable: true },
  createdBy: { word: "by", kind: "list", most: 50, value: text(256), isNegatable: true },
} as const satisfies Record<string, FilterField>;

export type FieldName = keyof typeof FILTER_FIELDS;

/** The fields with their names. */
export const FIELDS: readonly (readonly [FieldName, FilterField])[] = Object.entries(FILTER_FIELDS) as [
  FieldName,
  FilterField,
][];

/** Whether a field may be negated. */
export function isNegatable(field: FilterField): boolean {
  return "isNegatable" in field && field.isNegatable === true;
}

/** The names of a filter's object that stand for a field: one, or the two ends of a range. */
export function namesOf(name: FieldName): readonly string[] {
  const { kind } = FILTER_FIELDS[name];
  return kind === "instants" || kind === "numbers" ? [`${name}From`, `${name}To`] : [name];
}
