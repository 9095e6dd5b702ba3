import { MAX_BATCH_NAME } from "../task/batch-name.js";
import { TASK_OUTCOMES } from "../reports/task-outcomes.js";
import { MAX_TAG_LENGTH } from "../task/tags.js";
import { MAX_KEY_LENGTH, TERMINAL_REASONS } from "../task/task.js";
import { FILTER_STATES, MAX_ERROR_FILTER } from "./task-filter.js";

/** What a field of a filter takes, and how it is written. */
export type FilterField = {
  /** Its name in the line. */
  word: string;
  /** Which tasks it means, in Markdown; of a range without its ends. */
  text: string;
} & (
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
  | { is: "uuid" }
  /** A UUID, or a name. */
  | { is: "batch"; longest: number }
  /** Twelve hex digits in lower case. */
  | { is: "fingerprint" };

const text = (longest: number) => ({ is: "text", longest }) as const;

/**
 * The fields of a filter by their names in code, in the order in which a line is written. A range has the two names
 * with `From` and `To` behind it.
 */
export const FILTER_FIELDS = {
  states: {
    word: "state",
    kind: "list",
    most: 50,
    value: { is: "word", words: FILTER_STATES },
    text: "Tasks in one of these states. `overdue`: scheduled, and its next try is due. `failing`: scheduled again after an attempt that failed. `waiting`: scheduled or paused. `ended`: succeeded, dead, cancelled or expired.",
  },
  type: {
    word: "type",
    kind: "list",
    most: 50,
    value: { is: "name", longest: 128 },
    isNegatable: true,
    text: "Tasks of one of these types. One that ends with `*` stands for all that begin so.",
  },
  key: { word: "key", kind: "one", value: text(MAX_KEY_LENGTH), text: "Tasks with this key; case counts." },
  keyPrefix: {
    word: "keyPrefix",
    kind: "one",
    value: text(MAX_KEY_LENGTH),
    text: "Tasks with a key that begins so; it needs one whole `type`.",
  },
  live: {
    word: "live",
    kind: "flag",
    text: "True: tasks that hold their key, and those without a key that have not ended. False: all others.",
  },
  tag: {
    word: "tag",
    kind: "list",
    most: 8,
    value: text(MAX_TAG_LENGTH),
    isRepeated: true,
    isNegatable: true,
    text: "Tasks with all of these tags. Up to 10,000 tasks of a tag are found by an index of tags; of more a page may be `incomplete`.",
  },
  id: { word: "id", kind: "list", most: 1_000, value: { is: "uuid" }, text: "Tasks with these ids." },
  batch: {
    word: "batch",
    kind: "one",
    value: { is: "batch", longest: MAX_BATCH_NAME },
    text: "Members of the batch with this id, or of this name.",
  },
  schedule: {
    word: "schedule",
    kind: "one",
    value: text(128),
    text: "Tasks that are or were runs of the schedule with this name, as long as its runs are kept.",
  },
  operation: {
    word: "operation",
    kind: "one",
    value: { is: "uuid" },
    text: "Tasks that the operation with this id has changed, as long as it remembers them: 24 hours.",
  },
  outcome: {
    word: "outcome",
    kind: "list",
    most: 50,
    value: { is: "word", words: TASK_OUTCOMES },
    text: "For an `operation`: tasks of which one of these became; of `CHANGED` ones no undo has looked at.",
  },
  created: { word: "created", kind: "instants", durationIs: "age", text: "Tasks that were created" },
  scheduled: { word: "scheduled", kind: "instants", durationIs: "ahead", text: "Tasks that were scheduled for" },
  due: { word: "due", kind: "instants", durationIs: "ahead", text: "Tasks whose next try is due" },
  started: { word: "started", kind: "instants", durationIs: "age", text: "Tasks whose last attempt started" },
  finished: { word: "finished", kind: "instants", durationIs: "age", text: "Tasks that ended" },
  priority: { word: "priority", kind: "numbers", least: 0, greatest: 9, text: "Tasks with this priority" },
  attempt: { word: "attempt", kind: "numbers", least: 0, greatest: 1_000, text: "Tasks with this count of attempts" },
  node: {
    word: "node",
    kind: "one",
    value: text(256),
    isNegatable: true,
    text: "Tasks that the node with this label runs, or ran last.",
  },
  error: {
    word: "error",
    kind: "one",
    value: text(MAX_ERROR_FILTER),
    isNegatable: true,
    text: "Tasks whose last error contains this text, in upper or lower case.",
  },
  fingerprint: {
    word: "print",
    kind: "list",
    most: 50,
    value: { is: "fingerprint" },
    text: "Tasks whose last error has one of these fingerprints: they failed for the same cause. Dead ones are found by an index.",
  },
  reason: {
    word: "reason",
    kind: "list",
    most: 50,
    value: { is: "word", words: TERMINAL_REASONS },
    isNegatable: true,
    text: "Tasks that ended for one of these reasons.",
  },
  createdBy: {
    word: "by",
    kind: "list",
    most: 50,
    value: text(256),
    isNegatable: true,
    text: "Tasks that one of these has created: `application`, `key:` and an API key's id, an API key's name, or `task:` and a task's id.",
  },
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
