import type { TypeId } from "@tickwheel/core";
import type { HandlerStarted, HistoryEvent, LimitAnswered, RowChanged } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, type Rules } from "../history/rule.js";
import { hadLostTask } from "./start-rules.js";

/** Limits of the whole cluster, once every node obeys them. */
export const flowLimitRules = { "limit-kept": limitKept, "rate-kept": rateKept } satisfies Rules;

/** A start comes at most so long after the rate has granted it, in milliseconds. */
const GRANTED_FOR_MS = 500;

/**
 * [never-above-the-limit]: from the answer that every node obeys a limit of a type until somebody asks to change it, no
 * claim brings the type's running rows above it. What ran before runs on. A fail-over may forget the limit.
 */
function limitKept({ events }: IndexedRun): Finding[] {
  if (!events.some(({ kind }) => kind === "limit-answered")) return [];
  const limits = new AnsweredLimits();
  const running = new RunningRows();
  return events.flatMap((event) => {
    limits.note(event);
    if (event.kind !== "row-changed") return [];
    const typeId = running.note(event);
    if (typeId === null) return [];
    const answer = limits.of(typeId);
    if (answer === undefined || answer.maxRunning === null) return [];
    if (running.count(typeId) <= answer.maxRunning) return [];
    const message = `${running.count(typeId)} tasks of a type run, of which ${answer.maxRunning} may`;
    return [finding(event.after!.id, message, [answer, event])];
  });
}

/**
 * From the answer on, in any time no more tasks of a type start than the burst and what the rate gives in that time and
 * {@link GRANTED_FOR_MS}. A step of the database's clock may refill the burst; a fail-over may forget what was granted.
 */
function rateKept(known: IndexedRun): Finding[] {
  const { events, changes } = known;
  if (!events.some((event) => event.kind === "limit-answered" && event.rate !== null)) return [];
  const types = new Map(changes.flatMap(({ after }) => (after ? [[after.id, after.typeId] as const] : [])));
  const limits = new AnsweredLimits(["clock-step"]);
  const starts = new Map<LimitAnswered, HandlerStarted[]>();
  return events.flatMap((event) => {
    limits.note(event);
    if (event.kind !== "started" || hadLostTask(known, event)) return [];
    const answer = limits.of(types.get(event.taskId));
    if (answer === undefined || answer.rate === null) return [];
    const before = [...(starts.get(answer) ?? []), event];
    starts.set(answer, before);
    const first = before.find(
      ({ monoMs }, place) => before.length - place > mostIn(answer.rate!, event.monoMs - monoMs),
    );
    if (first === undefined) return [];
    const message = `${before.length - before.indexOf(first)} starts in ${event.monoMs - first.monoMs} ms`;
    return [finding(event.taskId, `${message}: more than the rate allows`, [answer, first, event])];
  });
}

function mostIn({ count, perMs, burst }: NonNullable<LimitAnswered["rate"]>, ms: number): number {
  return burst + (count * (ms + GRANTED_FOR_MS)) / perMs + 1e-6;
}

/** Limits, as callers have been told them. */
class AnsweredLimits {
  private readonly asks = new Map<TypeId, number>();
  /** Calls that have not returned. */
  private readonly open = new Map<TypeId, Set<number>>();
  /** Limits that were asked for while another call was under way: which of both holds nobody can tell. */
  private readonly raced = new Set<number>();
  private readonly answered = new Map<TypeId, LimitAnswered>();

  /** @param alsoForgottenBy faults, beside a fail-over, after which nothing is promised */
  constructor(private readonly alsoForgottenBy: readonly string[] = []) {}

  note(event: HistoryEvent): void {
    if (event.kind === "limit-asked") {
      const open = this.open.get(event.typeId) ?? new Set();
      if (open.size > 0) this.raced.add(event.ask);
      this.open.set(event.typeId, open.add(event.ask));
      this.asks.set(event.typeId, event.ask);
      this.answered.delete(event.typeId);
    } else if (event.kind === "limit-written") {
      this.open.get(event.typeId)?.delete(event.ask);
    } else if (event.kind === "limit-answered") {
      if (this.asks.get(event.typeId) === event.ask && !this.raced.has(event.ask))
        this.answered.set(event.typeId, event);
    } else if (event.kind === "fault-began" && ["failover", ...this.alsoForgottenBy].includes(event.fault.name)) {
      this.answered.clear();
    }
  }

  of(typeId: TypeId | undefined): LimitAnswered | undefined {
    return typeId === undefined ? undefined : this.answered.get(typeId);
  }
}

/** The rows that run, by type. */
class RunningRows {
  private readonly byType = new Map<TypeId, Set<string>>();

  /** @returns the type of the task that this change has set running; null: it has set none */
  note({ before, after }: RowChanged): TypeId | null {
    const { id, typeId } = (after ?? before)!;
    const rows = this.byType.get(typeId) ?? new Set<string>();
    this.byType.set(typeId, rows);
    if (after?.state !== "running") {
      rows.delete(id);
      return null;
    }
    rows.add(id);
    return before?.state === "running" ? null : typeId;
  }

  count(typeId: TypeId): number {
    return this.byType.get(typeId)?.size ?? 0;
  }
}
