import type { Task, TaskState } from "../api/wire.js";
import { formatCount } from "../time/format.js";

/** One shard of a batch: the member that does it. */
export interface ShardCell {
  readonly index: number;
  /** Null: its member is not there, or was not read. */
  readonly state: TaskState | null;
}

/** All shards in their order. */
export function shardCells(members: readonly Pick<Task, "shard" | "state">[], count: number): ShardCell[] {
  const states = new Map(members.flatMap(({ shard, state }) => (shard === null ? [] : [[shard.index, state]])));
  return Array.from({ length: count }, (_, index) => ({ index, state: states.get(index) ?? null }));
}

/** Members of shards come in the order of these, before all others. */
export function inShardOrder<Row extends Pick<Task, "shard">>(members: readonly Row[]): Row[] {
  const placeOf = ({ shard }: Row): number => shard?.index ?? Number.MAX_SAFE_INTEGER;
  return members.toSorted((one, other) => placeOf(one) - placeOf(other));
}

const order: readonly TaskState[] = ["succeeded", "running", "scheduled", "paused", "dead", "cancelled", "expired"];
/** How many are named; of more only their number is shown. */
const mostNamed = 5;

/** `35 succeeded, 11 running, 1 dead. Dead: shard 31.` */
export function shardsSentence(cells: readonly ShardCell[]): string {
  const counts = order.map((state) => [cells.filter((cell) => cell.state === state).length, state] as const);
  const told = counts.flatMap(([count, state]) => (count === 0 ? [] : `${formatCount(count)} ${state}`));
  if (told.length === 0) return "Nothing is known of its shards.";
  const dead = cells.filter(({ state }) => state === "dead").map(({ index }) => index);
  const named = dead.length === 0 || dead.length > mostNamed ? "" : ` Dead: ${namesOf(dead)}.`;
  return `${told.join(", ")}.${named}`;
}

function namesOf(indexes: readonly number[]): string {
  return `shard${indexes.length === 1 ? "" : "s"} ${indexes.join(", ")}`;
}
