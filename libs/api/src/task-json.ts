import { type Json, JsonSource, type JsonText } from "@tickwheel/core";
import type { CancelledTask, ScheduledItem, TaskView } from "@tickwheel/nestjs";
import { turns } from "./turns.js";

/**
 * Writes answers that hold tasks. A payload is put in as the text that it is: read and written again it would lose digits, and time. All else is
 * written by the engine's own code.
 */

/** A task as an answer shows it. */
export type ShownTask = TaskView<JsonText>;

export function taskJson(task: ShownTask): string {
  const facts = JSON.stringify({ ...task, payload: undefined });
  return `${facts.slice(0, -1)},"payload":${task.payload}}`;
}

export function pageJson({ items, ...rest }: { items: readonly ShownTask[]; nextCursor: string | null }): string {
  return `{"items":[${items.map(taskJson).join(",")}],${JSON.stringify(rest).slice(1)}`;
}

/** Of a bulk call's answer so many characters are written at once. */
const PIECE_LENGTH = 65_536;

type NumberedItem = { index: number } & ScheduledItem<ShownTask>;

/** In pieces, written as they are taken: the whole may be as long as the call was. */
export async function* bulkJson(items: readonly NumberedItem[]): AsyncGenerator<string> {
  let piece = `{"results":[`;
  for (const [place, item] of items.entries()) {
    if (turns.isOver()) await turns.next();
    piece += `${place === 0 ? "" : ","}${itemJson(item)}`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]}`;
}

function itemJson(item: NumberedItem): string {
  if (item.status === "rejected") return JSON.stringify(item);
  return `{"index":${item.index},"status":"${item.status}","task":${taskJson(item.task)}}`;
}

export function cancelJson({ outcome, task }: CancelledTask<ShownTask>): string {
  return task ? `{"outcome":"${outcome}","task":${taskJson(task)}}` : JSON.stringify({ outcome });
}

/** Plain data that may hold a {@link JsonSource} anywhere. */
export function jsonWithSources(value: unknown): string {
  if (JsonSource.is(value)) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonWithSources).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value as Record<string, Json>).filter(([, item]) => item !== undefined);
  return `{${fields.map(([name, item]) => `${JSON.stringify(name)}:${jsonWithSources(item)}`).join(",")}}`;
}
