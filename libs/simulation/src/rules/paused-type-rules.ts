import type { TypeId } from "@tickwheel/core";
import type { HandlerStarted, HistoryEvent, TypePauseAnswered } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, type Rules } from "../history/rule.js";
import { isBroken } from "./start-rules.js";

/** Every node obeys an answered pause. */
export const pausedTypeRules = { "paused-type-starts-nothing": pausedTypeStartsNothing } satisfies Rules;

/**
 * [settings-obeyed]: nothing of a type starts from the answer that every node obeys its pause until the end of the
 * pause, or until somebody asks to resume it or to pause it otherwise. An execution that had lost its task before may
 * start. A fail-over may forget the pause, and a step of the clock moves its end.
 */
function pausedTypeStartsNothing(known: IndexedRun): Finding[] {
  const { events } = known;
  if (!events.some(({ kind }) => kind === "type-pause-answered")) return [];
  const types = typesOf(known);
  const pauses = new AnsweredPauses();
  return events.flatMap((event) => {
    pauses.note(event);
    if (event.kind !== "started") return [];
    const pause = pauses.inForce(types.get(event.taskId), event);
    if (pause === null || hadLostTask(known, event)) return [];
    return [finding(event.taskId, "a start of a type whose pause every node obeys", [pause, event])];
  });
}

/** The pauses of types, as callers have been told them. */
class AnsweredPauses {
  private readonly asks = new Map<TypeId, number>();
  private readonly answered = new Map<TypeId, TypePauseAnswered>();

  note(event: HistoryEvent): void {
    if (event.kind === "type-pause-asked") {
      this.asks.set(event.typeId, event.ask);
      this.answered.delete(event.typeId);
    } else if (event.kind === "type-pause-answered") {
      if (this.asks.get(event.typeId) === event.ask) this.answered.set(event.typeId, event);
    } else if (event.kind === "fault-began" && ["failover", "clock-step"].includes(event.fault.name)) {
      this.answered.clear();
    }
  }

  inForce(typeId: TypeId | undefined, { at }: HistoryEvent): TypePauseAnswered | null {
    const pause = typeId === undefined ? undefined : this.answered.get(typeId);
    return pause && at < pause.until ? pause : null;
  }
}

function typesOf({ changes }: IndexedRun): Map<string, TypeId> {
  return new Map(changes.flatMap(({ after }) => (after ? [[after.id, after.typeId] as const] : [])));
}

function hadLostTask(known: IndexedRun, start: HandlerStarted): boolean {
  const execution = known.tasks.find(({ id }) => id === start.taskId)?.executions.get(start.fence);
  return execution !== undefined && isBroken(known, execution, start);
}
