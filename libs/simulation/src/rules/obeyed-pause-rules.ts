import type { TaskRow } from "@tickwheel/testing";
import type { HistoryEvent, PauseAnswered, PauseAsked } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, type Rules } from "../history/rule.js";
import { hadLostTask } from "./start-rules.js";

/** Every node obeys an answered pause of a type or a key. */
export const obeyedPauseRules = { "pause-obeyed": pauseObeyed } satisfies Rules;

/**
 * [settings-obeyed]: nothing of a type or a key starts from the answer that every node obeys its pause until the end of
 * the pause, or until somebody asks to resume it or to pause it otherwise. An execution that had lost its task before
 * may start. A fail-over may forget the pause, and a step of the clock moves its end.
 */
function pauseObeyed(known: IndexedRun): Finding[] {
  const { events } = known;
  if (!events.some(({ kind }) => kind === "pause-answered")) return [];
  const rows = new Map(known.changes.flatMap(({ after }) => (after ? [[after.id, after] as const] : [])));
  const pauses = new AnsweredPauses();
  return events.flatMap((event) => {
    pauses.note(event);
    if (event.kind !== "started") return [];
    const pause = pauses.inForce(rows.get(event.taskId), event);
    if (pause === null || hadLostTask(known, event)) return [];
    return [finding(event.taskId, "a start of what is paused, as every node obeys", [pause, event])];
  });
}

/** Pauses, as callers have been told them. */
class AnsweredPauses {
  private readonly asks = new Map<string, number>();
  /** Calls that have not returned, by the name of what they pause or resume. */
  private readonly open = new Map<string, Set<number>>();
  /** Pauses that were asked for while another call was under way: which of both holds nobody can tell. */
  private readonly raced = new Set<number>();
  private readonly answered = new Map<string, PauseAnswered>();

  note(event: HistoryEvent): void {
    if (event.kind === "pause-asked") {
      const open = this.open.get(nameOf(event)) ?? new Set();
      if (open.size > 0) this.raced.add(event.ask);
      this.open.set(nameOf(event), open.add(event.ask));
      this.asks.set(nameOf(event), event.ask);
      this.answered.delete(nameOf(event));
    } else if (event.kind === "pause-written") {
      this.open.get(nameOf(event))?.delete(event.ask);
    } else if (event.kind === "pause-answered") {
      if (this.asks.get(nameOf(event)) === event.ask && !this.raced.has(event.ask))
        this.answered.set(nameOf(event), event);
    } else if (event.kind === "fault-began" && ["failover", "clock-step"].includes(event.fault.name)) {
      this.answered.clear();
    }
  }

  inForce(row: TaskRow | undefined, { at }: HistoryEvent): PauseAnswered | null {
    if (row === undefined) return null;
    const { typeId, key } = row;
    const found = [null, ...(key === null ? [] : [key])].map((one) => this.answered.get(nameOf({ typeId, key: one })));
    return found.find((pause) => pause !== undefined && at < pause.until) ?? null;
  }
}

function nameOf({ typeId, key }: Pick<PauseAsked, "typeId" | "key">): string {
  return key === null ? String(typeId) : `${typeId} ${key}`;
}
