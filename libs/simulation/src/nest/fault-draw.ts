import type { Random } from "@tickwheel/core";
import type { FaultKinds } from "./cluster-options.js";

/**
 * A point of a handler's run at which a fault may strike: it begins; it is about to call what is outside; that is done
 * and the answer is under way; its transaction is about to commit; has committed; it has returned.
 */
export type Moment = "begins" | "calls" | "is answered" | "commits" | "has committed" | "has returned";

export interface Strike {
  kind: "kill" | "pause" | "cut" | "lost answer";
  /** How long it lasts; of a kill: after which another node takes the place. */
  forMs: number;
}

/** How likely a moment is struck. */
const STRIKE_SHARE = 0.15;
const MAX_OF_RUN = 6;
/**
 * Faults that a task may meet, its node's struck by another task too: one whose nodes die three times (`maxCrashes`) is
 * given up, by right.
 */
const MAX_OF_TASK = 2;
/** Shortest and longest, in milliseconds. A node is declared dead after some seconds of silence. */
const SPANS_MS: Record<Strike["kind"], readonly [number, number]> = {
  kill: [1_000, 10_000],
  pause: [500, 20_000],
  cut: [500, 15_000],
  "lost answer": [500, 10_000],
};

/** Draws the faults of a run: where they strike, of which kind they are, how long they last. */
export class FaultDraw {
  private drawn = 0;
  private readonly ofTasks = new Map<string, number>();

  constructor(
    private readonly random: Random,
    private readonly faults: Required<FaultKinds>,
  ) {}

  /**
   * @param taskIds all tasks that the node has
   * @returns null: nothing happens at this moment
   */
  at(moment: Moment, taskIds: ReadonlySet<string>): Strike | null {
    const kinds = this.kindsAt(moment);
    const isSpared = [...taskIds].some((id) => (this.ofTasks.get(id) ?? 0) >= MAX_OF_TASK);
    if (kinds.length === 0 || this.drawn >= MAX_OF_RUN || isSpared) return null;
    if (this.random.next() >= STRIKE_SHARE) return null;
    this.drawn++;
    for (const id of taskIds) this.ofTasks.set(id, (this.ofTasks.get(id) ?? 0) + 1);
    const kind = kinds[Math.floor(this.random.next() * kinds.length)]!;
    const [leastMs, mostMs] = SPANS_MS[kind];
    return { kind, forMs: Math.round(leastMs + this.random.next() * (mostMs - leastMs)) };
  }

  private kindsAt(moment: Moment): Strike["kind"][] {
    const { kills, pauses, cuts } = this.faults;
    return [
      ...(kills ? (["kill"] as const) : []),
      ...(pauses ? (["pause"] as const) : []),
      ...(cuts ? (["cut"] as const) : []),
      ...(cuts && moment === "commits" ? (["lost answer"] as const) : []),
    ];
  }
}
