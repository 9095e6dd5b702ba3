import { type DurationInput, parseDurationMs } from "@tickwheel/core";
import type { FoundTasks, TaskDefinition, TaskFilterInput, TaskView } from "@tickwheel/nestjs";
import { isDeepStrictEqual } from "node:util";

type State = TaskView["state"];

/** States of a task that has not ended. */
const LIVE: readonly State[] = ["scheduled", "paused", "running"];
/** An error shows at most so many of the tasks that there are. */
const SHOWN_TASKS = 10;
/** A page of what there is. */
const PAGE = 200;

/** What a task must be like, a condition at a time. */
interface Condition {
  /** What is wanted, as a part of a sentence. */
  text: string;
  holds: (task: TaskView, nowMs: number) => boolean;
}

export interface ExpectationParts {
  tasks: { find(filter: TaskFilterInput): Promise<Pick<FoundTasks, "items" | "next">> };
  now(): Date;
}

/**
 * What a test says of one task. It is checked when it is awaited, and answers the task. `Payload` is what is stored: of
 * a definition with a schema its input.
 *
 * @example await tasks.expectTask(CancelOrder).withKey("42").dueIn("15m");
 */
export class ExpectedTask<Payload> implements PromiseLike<TaskView<Payload>> {
  private readonly conditions: Condition[] = [];
  private states = LIVE;
  private key: string | undefined;
  private isChecked = false;

  constructor(
    private readonly task: string | TaskDefinition<unknown, Payload>,
    private readonly parts: ExpectationParts,
    private readonly isWanted: boolean,
  ) {}

  /** Its key. */
  withKey(key: string): this {
    this.key = key;
    return this.where(`key "${key}"`, (task) => task.key === key);
  }

  /** Its payload has these fields with these values; of another payload than an object: it is this. */
  withPayload(payload: Partial<Payload>): this {
    return this.where(`payload ${JSON.stringify(payload)}`, (task) => contains(task.payload, payload));
  }

  /** It has this tag. */
  withTag(tag: string): this {
    return this.where(`tag "${tag}"`, (task) => task.tags.includes(tag));
  }

  /**
   * It is due after this time from now, to the millisecond.
   *
   * @param delay milliseconds, or a text such as `"15m"`
   */
  dueIn(delay: DurationInput): this {
    const delayMs = parseDurationMs(delay);
    if (delayMs === null)
      throw new RangeError(`dueIn takes milliseconds, or a text such as "15m", not ${String(delay)}`);
    return this.where(`due in ${String(delay)}`, (task, nowMs) => task.dueAt.getTime() - nowMs === Math.round(delayMs));
  }

  /** It is due at this instant. */
  dueAt(instant: Date): this {
    return this.where(`due at ${instant.toISOString()}`, (task) => task.dueAt.getTime() === instant.getTime());
  }

  /** It is in this state, or in one of these; without this it has not ended. */
  inState(...states: State[]): this {
    this.states = states;
    return this;
  }

  /** Whether somebody has awaited it. */
  get wasChecked(): boolean {
    return this.isChecked;
  }

  /** What it says, as a sentence. */
  get sentence(): string {
    const { task, conditions, states, isWanted } = this;
    const type = typeof task === "string" ? task : task.type;
    const wanted = [...conditions.map(({ text }) => text), `state ${states.join(" or ")}`];
    return `${isWanted ? "one task" : "no task"} of ${type}: ${wanted.join(", ")}`;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- to be awaited is what it is for
  then<Found = TaskView<Payload>, Failed = never>(
    found?: ((task: TaskView<Payload>) => Found | PromiseLike<Found>) | null,
    failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Found | Failed> {
    this.isChecked = true;
    return this.check().then(found, failed);
  }

  private where(text: string, holds: Condition["holds"]): this {
    this.conditions.push({ text, holds });
    return this;
  }

  private async check(): Promise<TaskView<Payload>> {
    const there = await this.candidates();
    const nowMs = this.parts.now().getTime();
    const found = there.filter((task) => this.conditions.every(({ holds }) => holds(task, nowMs)));
    if (found.length === (this.isWanted ? 1 : 0)) return found[0] as TaskView<Payload>;
    throw new Error(
      `Expected ${this.sentence}. ${thereAre(found.length > 0 ? found : there, nowMs, found.length > 0)}`,
    );
  }

  /** Of the type, with the key where one is named, in the states. */
  private async candidates(): Promise<TaskView[]> {
    const type = typeof this.task === "string" ? this.task : this.task.type;
    const tasks: TaskView[] = [];
    let after: string | null = null;
    do {
      const filter = { type, key: this.key, states: [...this.states], limit: PAGE };
      const page: Pick<FoundTasks, "items" | "next"> = await this.parts.tasks.find(
        after === null ? filter : { ...filter, after },
      );
      tasks.push(...page.items);
      after = page.next;
    } while (after !== null);
    return tasks;
  }
}

function contains(value: unknown, part: unknown): boolean {
  const isObject = (one: unknown): one is Record<string, unknown> =>
    typeof one === "object" && one !== null && !Array.isArray(one);
  if (!isObject(value) || !isObject(part)) return isDeepStrictEqual(value, part);
  return Object.entries(part).every(([field, wanted]) => isDeepStrictEqual(value[field], wanted));
}

function thereAre(tasks: readonly TaskView[], nowMs: number, doMatch: boolean): string {
  if (tasks.length === 0) return "There is none of that type and key in these states.";
  const shown = tasks.slice(0, SHOWN_TASKS).map((task) => `\n  ${described(task, nowMs)}`);
  const more = tasks.length > SHOWN_TASKS ? `\n  and ${tasks.length - SHOWN_TASKS} more` : "";
  return `There ${tasks.length === 1 ? "is" : "are"} ${tasks.length}${doMatch ? " like that" : ""}:${shown.join("")}${more}`;
}

function described({ key, payload, state, dueAt, attempt, lastError }: TaskView, nowMs: number): string {
  const parts = [
    key === null ? "no key" : `key "${key}"`,
    `payload ${JSON.stringify(payload)}`,
    state,
    `due in ${dueAt.getTime() - nowMs} ms`,
    ...(attempt > 0 ? [`attempt ${attempt}`] : []),
    ...(lastError === null ? [] : [`last error ${lastError.split("\n")[0]}`]),
  ];
  return parts.join(", ");
}
