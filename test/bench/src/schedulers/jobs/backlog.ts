import type { ContestantProcess } from "../contestants/contestant-process.js";
import type { Stage } from "../stage.js";
import { BACKLOG_SPAN_MS, FAR_AWAY_MS } from "./spans.js";

/** Tasks that are pending and not due. */
export interface Backlog {
  readonly count: number;
  /** What creating one of them in bulk took. */
  readonly msPerTask: number;
}

/** Creates tasks number 0 and following, spread over a month that begins tomorrow; then the tables are vacuumed. */
export async function fillBacklog(stage: Stage, contestant: ContestantProcess, count: number): Promise<Backlog> {
  const dueAt = Math.ceil(stage.clock.now()) + FAR_AWAY_MS;
  const series = { first: 0, count, dueAt, everyMs: BACKLOG_SPAN_MS / Math.max(1, count) };
  const { elapsedMs } = await contestant.ask("bulk", { series });
  await stage.servers.tidy();
  return { count, msPerTask: count === 0 ? 0 : elapsedMs / count };
}
