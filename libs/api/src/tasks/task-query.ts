import {
  type EpochMs,
  type Fault,
  isTaskId,
  type JournalRequest,
  MAX_TAG_LENGTH,
  TASK_STATES,
  type TaskFilter,
  type TaskState,
} from "@tickwheel/core";
import { DEFAULT_PAGE, MAX_PAGE, parseInstant, textRule, throwFaults } from "@tickwheel/nestjs";

const BAD_CURSOR = "must be a cursor that this list gave";

type Query = Record<string, unknown>;

/** What the two paging parameters are called. */
const REST_NAMES = { limit: "limit", cursor: "cursor" };

/**
 * The filter of a list call. All parameters are optional; `state` may be given several times or with commas.
 *
 * @param names of the paging parameters, where they are not `limit` and `cursor`
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 */
export function toTaskFilter(query: Query, namespace: string, names = REST_NAMES): TaskFilter {
  const reader = new QueryReader(query);
  const filter: TaskFilter = {
    namespace,
    type: reader.text("type", 128),
    states: reader.states("state"),
    key: reader.text("key", 256),
    live: reader.flag("live"),
    tag: reader.text("tag", MAX_TAG_LENGTH),
    scheduledFrom: reader.instant("scheduledFrom"),
    scheduledTo: reader.instant("scheduledTo"),
    limit: reader.limit(names.limit),
    after: reader.cursor(names.cursor),
  };
  reader.finish();
  return filter;
}

/**
 * The page of a journal call.
 *
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 */
export function toJournalRequest(query: Query, task: { namespace: string; id: string }): JournalRequest {
  const reader = new QueryReader(query);
  const request = { ...task, limit: reader.limit("limit"), after: reader.place("cursor") };
  reader.finish();
  return request;
}

/** Reads parameters one by one and collects what is wrong with them. */
class QueryReader {
  private readonly faults: Fault[] = [];
  private readonly read = new Set<string>();

  constructor(private readonly query: Query) {}

  text(name: string, maxLength: number): string | undefined {
    const rule = textRule(1, maxLength);
    return this.parse(name, `must be 1 to ${maxLength} characters without NUL or a lone surrogate`, (value) =>
      rule(value) === null ? value : undefined,
    );
  }

  states(name: string): TaskState[] | undefined {
    return this.parse(name, `must be among ${TASK_STATES.join(", ")}`, (value) => {
      const states = value.split(",");
      return states.every((state) => (TASK_STATES as readonly string[]).includes(state))
        ? (states as TaskState[])
        : undefined;
    });
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
    const message = `must be an integer from 1 to ${MAX_PAGE}`;
    const limit = this.parse(name, message, (value) => {
      const number = /^\d{1,4}$/.test(value) ? Number(value) : 0;
      return number >= 1 && number <= MAX_PAGE ? number : undefined;
    });
    return limit ?? DEFAULT_PAGE;
  }

  /** The cursor of a list of tasks. */
  cursor(name: string): string | undefined {
    return this.parse(name, BAD_CURSOR, (value) => (isTaskId(value) ? value.toLowerCase() : undefined));
  }

  /** The cursor of a journal. */
  place(name: string): number | undefined {
    return this.parse(name, BAD_CURSOR, (value) => (/^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined));
  }

  /** Throws what was wrong; parameters that nobody read are wrong too. */
  finish(): void {
    for (const name of Object.keys(this.query))
      if (!this.read.has(name)) this.faults.push({ path: name, message: "is not a known parameter" });
    throwFaults(this.faults);
  }

  private parse<T>(name: string, message: string, parser: (value: string) => T | undefined): T | undefined {
    this.read.add(name);
    const given = this.query[name];
    if (given === undefined) return undefined;
    const value = name === "state" && isTexts(given) ? given.join(",") : given;
    const parsed = typeof value === "string" ? parser(value) : undefined;
    if (parsed === undefined) this.faults.push({ path: name, message });
    return parsed;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
