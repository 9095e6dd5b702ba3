import type { Task } from "../api/wire.js";

type Wait = NonNullable<Task["waitingFor"]>;

/** Why what is due has not started: of a type and of a task. */
const waits: Readonly<Record<Wait, string>> = {
  HANDLER: "no live node runs it",
  CONSUMER: "no consumer has fetched it",
  CAPACITY: "no place is free",
  BREAKER: "its type's breaker is open",
  PAUSE: "a pause holds it back",
  LIMIT: "a limit lets no more start",
};

/** As the page knows it; a newer server may tell of more. */
export function waitText(waitingFor: Wait): string {
  return waits[waitingFor] ?? `waits for ${waitingFor as string}`;
}

/** Why a task has not started that is due, or is paused; null: it does not wait. A webhook waits for its host. */
export function taskWaitText({ waitingFor, deliver }: Pick<Task, "waitingFor" | "deliver">): string | null {
  if (waitingFor === null) return null;
  if (waitingFor !== "BREAKER" || deliver === null) return waitText(waitingFor);
  return deliver.kind === "webhook" ? "its host fails or rests" : "its broker takes nothing";
}
