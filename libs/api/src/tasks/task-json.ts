import { type CreateOutcome, type Json, JsonSource, type JsonText, turns } from "@tickwheel/core";
import type {
  BecauseFields,
  CancelledItem,
  CancelledTask,
  ReportFields,
  RetriedItem,
  TaskFields,
  TaskItemResult,
} from "@tickwheel/calls";
import { answerTooLong } from "../limits/answer-budget.js";

/**
 * Writes answers that hold tasks. A payload and a result are put in as the text that they are: read and written again
 * it would lose digits, and time. All else is written by the engine's own code.
 */

/** A task as an answer shows it. `payloadMasked`: payload and result are shapes, and no values. */
export type ShownTask = TaskFields<JsonText, string, JsonText | null> & { payloadMasked?: true };

/** One task, with what its handler has told last and why it stands as it does. */
export type DetailedTask = ShownTask & ReportFields<string> & BecauseFields<string>;

/** A task without what can be long. */
export type ReducedTask = Omit<
  ShownTask,
  "payload" | "payloadMasked" | "result" | "lastError" | "deliver" | "tags" | "later"
>;

/**
 * One item of a bulk call, in the order given. `reduced`: its task is, since the answer is long; the task's own address
 * shows it whole.
 */
export type BulkItem = { index: number } & (TaskItemResult<ShownTask> | ReducedItem);
type ReducedItem = { status: CreateOutcome; reduced: true; task: ReducedTask };

export function reducedTask(shown: ShownTask): ReducedTask {
  const {
    payload: _p,
    payloadMasked: _m,
    result: _r,
    lastError: _e,
    deliver: _d,
    tags: _t,
    later: _l,
    ...task
  } = shown;
  return task;
}

/** What has a payload as text: a task, with its result as text, or a schedule. */
type WithTexts = { payload: JsonText; result?: JsonText | null };

export function taskJson(shown: WithTexts): string {
  const facts = JSON.stringify({ ...shown, payload: undefined, result: undefined });
  const result = shown.result === undefined ? "" : `,"result":${shown.result}`;
  return `${facts.slice(0, -1)},"payload":${shown.payload}${result}}`;
}

export function pageJson({ items, ...rest }: { items: readonly WithTexts[]; nextCursor: string | null }): string {
  return `{"items":[${items.map(taskJson).join(",")}],${JSON.stringify(rest).slice(1)}`;
}

/** How many characters of a bulk call's answer are written at once. */
const PIECE_LENGTH = 65_536;

/**
 * In pieces, written as they are taken: the whole may be as long as the call was.
 *
 * @param facts what the answer tells beside the results
 */
export async function* bulkJson(items: readonly BulkItem[], facts: object = {}): AsyncGenerator<string> {
  let piece = JSON.stringify({ ...facts, results: [] }).slice(0, -2);
  for (const [place, item] of items.entries()) {
    if (turns.isOver()) await turns.next();
    piece += `${place === 0 ? "" : ","}${itemJson(item)}`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]}`;
}

function itemJson(item: BulkItem): string {
  if (item.status === "rejected" || "reduced" in item) return JSON.stringify(item);
  return `{"index":${item.index},"status":"${item.status}","task":${taskJson(item.task)}}`;
}

export function cancelJson({ outcome, task }: CancelledTask<ShownTask>): string {
  return task ? `{"outcome":"${outcome}","task":${taskJson(task)}}` : JSON.stringify({ outcome });
}

/** What became of each of many ids; a task that is not shown was left out by the answer's budget. */
export function itemsJson({
  results,
}: {
  results: readonly (CancelledItem<ShownTask> | RetriedItem<ShownTask>)[];
}): string {
  const written = results.map(({ task, ...item }) =>
    task ? `${JSON.stringify(item).slice(0, -1)},"task":${taskJson(task)}}` : JSON.stringify(item),
  );
  return `{"results":[${written.join(",")}]}`;
}

/**
 * Plain data that may hold a {@link JsonSource} anywhere.
 *
 * @throws TickwheelError `VALIDATION_FAILED` beyond `maxLength` characters, about
 */
export function jsonWithSources(value: unknown, maxLength: number): string {
  return new SourceWriter(maxLength).write(value);
}

class SourceWriter {
  constructor(private left: number) {}

  write(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.write(item)).join(",")}]`;
    if (value === null || typeof value !== "object" || JsonSource.is(value)) return this.writeLeaf(value);
    const fields = Object.entries(value as Record<string, Json>).filter(([, item]) => item !== undefined);
    return `{${fields.map(([name, item]) => `${this.writeLeaf(name)}:${this.write(item)}`).join(",")}}`;
  }

  private writeLeaf(value: unknown): string {
    const text = JsonSource.is(value) ? value.text : (JSON.stringify(value) ?? "null");
    this.left -= text.length;
    if (this.left < 0) throw answerTooLong("Ask for less in one request; what a mutation changed is changed");
    return text;
  }
}
