import type { HistoryEvent } from "@tickwheel/simulation";
import { brokenRules, type RunResult } from "./run-plan.js";

/** A run that broke a rule, as lines for people: the plan, the broken rule, and everything that the history has on it.
 */
export function storyOf(result: RunResult): string[] {
  const { plan, violations, surprises, events } = result;
  const happened = events.filter((event) => concerns(event, violations[0]?.taskId ?? null));
  const chapter = [
    ...happened.map((event) => ({ monoMs: event.monoMs, text: tell(event) })),
    ...result.told.map(({ monoMs, label, text }) => ({ monoMs, text: `${label} says ${text}` })),
  ].sort((one, other) => one.monoMs - other.monoMs);
  const nodes = nodeNames(events);
  return [
    `seed ${plan.seed}: ${brokenRules(result).join(", ")}`,
    `${plan.nodes} nodes, ${plan.coordination}, ${plan.requests.length} requests, options ${JSON.stringify(plan.options)}`,
    ...plan.faults.map(({ atMs, forMs, breaks }) => `planned ${at(atMs)} for ${ms(forMs)}: ${JSON.stringify(breaks)}`),
    ...surprises.map((surprise) => `surprise: ${surprise}`),
    ...violations.map(
      ({ rule, taskId, message, monoMs }) => `${at(monoMs)} ${rule}: ${message} (${taskId ?? "no task"})`,
    ),
    ...chapter.map(({ monoMs, text }) => `  ${at(monoMs)} ${named(text, nodes)}`),
  ];
}

/** The task of the first broken rule, the faults, and the nodes that came and went. */
function concerns(event: HistoryEvent, taskId: string | null): boolean {
  if ("fault" in event) return true;
  if ("taskId" in event) return event.taskId === taskId;
  if (event.kind === "create-acknowledged") return event.taskIds.includes(taskId ?? "");
  if (event.kind === "row-changed") return (event.after ?? event.before)?.id === taskId;
  return true;
}

function tell(event: HistoryEvent): string {
  switch (event.kind) {
    case "row-changed": {
      const row = event.after ?? event.before!;
      const dueIn = Math.round(row.dueAt - event.at);
      const states = `${event.before?.state ?? "none"} > ${event.after?.state ?? "gone"}`;
      const facts = `fence ${row.fence}, attempt ${row.attempt}, crashes ${row.crashCount}, version ${row.version}`;
      return `row ${event.statement} ${states}: due in ${dueIn} ms, ${facts}, owner ${row.owner}, key ${row.keyLive ? row.key : "–"}`;
    }
    case "fault-began":
    case "fault-ended":
      return `${event.kind} ${JSON.stringify(event.fault)}`;
    case "rest":
      return `rest${event.isEnd ? " at the end" : ""}: ${event.rows.length} rows, ${event.nodes.length} nodes`;
    default: {
      const { kind, at: _at, monoMs: _monoMs, ...facts } = event;
      return `${kind} ${JSON.stringify(facts)}`;
    }
  }
}

/** Boot ids are hard to read: nodes are numbered in the order in which they joined. */
function nodeNames(events: readonly HistoryEvent[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const event of events) {
    if (event.kind === "joined") names.set(event.bootId, `node#${names.size + 1}`);
  }
  return names;
}

function named(text: string, names: ReadonlyMap<string, string>): string {
  let told = text;
  for (const [bootId, name] of names) told = told.replaceAll(bootId, name);
  return told;
}

function at(monoMs: number): string {
  return `${(monoMs / 1_000).toFixed(4)} s`;
}

function ms(durationMs: number): string {
  return `${Math.round(durationMs)} ms`;
}
