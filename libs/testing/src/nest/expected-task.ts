import { type DurationInput, LIVE_STATES, parseDurationMs } from "@tickwheel/core";
import type { DelayTaskService, FoundTasks, TaskDefinition, TaskFilterInput, TaskView } from "@tickwheel/nestjs";
import { isDeepStrictEqual } from "node:util";

type State = TaskView["state"];

/** An error shows at most so many of the tasks that there are. */
const SHOWN_TASKS = 10;
/** … and of each of them its last failed attempts, so many. */
const SHOWN_ATTEMPTS = 5;
/** A page of what there is. */
const PAGE = 200;

/** What a task must be like, a condition at a time. */
interface Condition {
  /** What is wanted, as a part of a sentence. */
  text: string;
  holds: (task: TaskView, nowMs: number) => boolean;
}

export interface ExpectationParts {
  tasks: {
    find(filter: TaskFilterInput): Promise<Pick<FoundTasks, "items" | "next">>;
    journal: DelayTaskService["journal"];
  };
  now(): Date;
  /**
   * Why a task of this type, and of this key where it is named, may not be there any more; null: no reason is known.
   */
  whyGone(type: string, key: string | undefined): Promise<string | null>;
}

/**
 * What a test says of one task. It is checked when it is awaited, and answers the task. `Payload` is what is stored: of
 * a definition with a schema its input.
 *
 * @example await tasks.expectTask(CancelOrder).withKey("42").dueIn("15m");
 */
export class ExpectedTask<Payload> implements PromiseLike<TaskView<Payload>> {
  private readonly type: string;
  private readonly conditions: Condition[] = [];
  private states = LIVE_STATES;
  private key: string | undefined;
  private isChecked = false;

  constructor(
    task: string | TaskDefinition<unknown, Payload>,
    private readonly parts: ExpectationParts,
    private readonly isWanted: boolean,
  ) {
    this.type = typeof task === "string" ? task : task.type;
  }

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
    const { type, conditions, states, isWanted } = this;
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
    const doMatch = found.length > 0;
    throw new Error(`Expected ${this.sentence}. ${await this.thereAre(doMatch ? found : there, nowMs, doMatch)}`);
  }

  private async thereAre(tasks: readonly TaskView[], nowMs: number, doMatch: boolean): Promise<string> {
    if (tasks.length === 0) {
      const why = this.isWanted ? await this.parts.whyGone(this.type, this.key) : null;
      return `There is none of that type and key in these states.${why === null ? "" : ` ${why}`}`;
    }
    const shown = await Promise.all(tasks.slice(0, SHOWN_TASKS).map((task) => this.shown(task, nowMs)));
    const more = tasks.length > SHOWN_TASKS ? `\n  and ${tasks.length - SHOWN_TASKS} more` : "";
    const verb = tasks.length === 1 ? "is" : "are";
    return `There ${verb} ${tasks.length}${doMatch ? " like that" : ""}:${shown.join("")}${more}`;
  }

  /** A task, and a line for each of its last failed attempts. */
  private async shown(task: TaskView, nowMs: number): Promise<string> {
    const lines = task.lastError === null ? [] : await this.failures(task.id);
    return [described(task, nowMs), ...lines.slice(-SHOWN_ATTEMPTS).map((line) => `  ${line}`)]
      .map((line) => `\n  ${line}`)
      .join("");
  }

  private async failures(id: string): Promise<string[]> {
    const lines: string[] = [];
    let after: number | null = null;
    do {
      const page: Awaited<ReturnType<DelayTaskService["journal"]>> = await this.parts.tasks.journal(id, {
        limit: PAGE,
        ...(after !== null && { after }),
      });
      for (const { attempt, at, error } of page?.items ?? [])
        if (error !== null) lines.push(`attempt ${attempt} failed at ${at.toISOString()}: ${firstLine(error)}`);
      after = page?.next ?? null;
    } while (after !== null);
    return lines;
  }

  /** The tasks of the type, with the key where one is named, in the states. */
  private async candidates(): Promise<TaskView[]> {
    const { type } = this;
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

function described({ key, payload, state, dueAt, attempt, lastError }: TaskView, nowMs: number): string {
  const parts = [
    key === null ? "no key" : `key "${key}"`,
    `payload ${JSON.stringify(payload)}`,
    state,
    `due in ${dueAt.getTime() - nowMs} ms`,
    ...(attempt > 0 ? [`attempt ${attempt}`] : []),
    ...(lastError === null ? [] : [`last error ${firstLine(lastError)}`]),
  ];
  return parts.join(", ");
}

function firstLine(text: string): string {
  return text.split("\n")[0]!;
}
