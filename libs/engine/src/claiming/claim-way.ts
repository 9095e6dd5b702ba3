import type { ClaimReply, ClaimRequest, TypeId } from "@tickwheel/core";
import type { HealthPart } from "@tickwheel/coordination";
import type { FoundTask } from "../waiting/found-task.js";

/** The tasks of one claim. */
export interface Batch {
  readonly tasks: readonly FoundTask[];
  /** How many places of this node are taken for it: it claims no more tasks than that. */
  readonly most: number;
}

/** What a claim brought, and what it had no place for: those wait for the next one. */
export interface ClaimAnswer {
  reply: ClaimReply;
  left: readonly FoundTask[];
}

/** What one claimer claims, and how. There are two ways, each with a claim in flight of its own. */
export interface ClaimWay {
  /** The name under which the node's health tells of its failures. */
  readonly part: HealthPart;
  /**
   * Whether its claims tell how many tasks to claim ahead of free places, and since when a ready task waits for a
   * place.
   */
  readonly isMain: boolean;
  /** The first ready task that it may claim now. It stays in the queue. */
  peek(): FoundTask | undefined;
  /** Takes tasks out of the queue, at most so many, and places for them. */
  select(size: number): Batch;
  /** @throws what the store throws */
  claim(request: ClaimRequest, batch: Batch): Promise<ClaimAnswer>;
  /** The halves of a batch of two tasks or more. */
  split(batch: Batch): Batch[];
  /**
   * Keeps the places that these tasks' types need by the batch's answer; the other places that it took are free again.
   */
  keepPlaces(batch: Batch, claimed: ReadonlyMap<string, TypeId>): void;
  /** Nothing of the batch is claimed: its places are free again. */
  giveBackPlaces(batch: Batch): void;
}
