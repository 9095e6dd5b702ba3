import assert from "node:assert/strict";
import { type BootId, type Clock, type ClusterMessage, type Coordination, wait } from "@tickwheel/core";

/** A medium under test, such as Redis; each case finds it up and empty, with no client but its own. */
export interface CoordinationSubject {
  /** The clock that the clients have. */
  clock: Clock;
  /** How long announcements live, milliseconds; locks are asked for as long. */
  keyTtlMs: number;
  /** One more client, started. The subject stops it after the case. */
  join(): Promise<Coordination>;
  /** Everything it holds is gone; connections stay. */
  flush(): Promise<void>;
  /** Connections break and new ones fail until `start`. */
  stop(): Promise<void>;
  /** It answers nothing until `start`. */
  hang(): Promise<void>;
  /** Ends a stop or a hang. */
  start(): Promise<void>;
}

/** One check of a medium. It throws an `AssertionError` where the medium does not conform. */
export interface CoordinationCase {
  /** A sentence: what the medium promises. */
  name: string;
  run(subject: CoordinationSubject): Promise<void>;
}

/** What a node of the suite has heard. */
export type Heard = unknown[];

const LIMIT_MS = 15_000;
const LOOK_EACH_MS = 20;

/** Looks again until it is so. @throws AssertionError after a while */
export async function eventually(
  { clock }: Pick<CoordinationSubject, "clock">,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  const untilMonoMs = clock.monotonicMs() + LIMIT_MS;
  while (!(await isSo())) {
    assert.ok(clock.monotonicMs() < untilMonoMs, `not within ${LIMIT_MS} ms: ${String(isSo)}`);
    await wait(clock, LOOK_EACH_MS);
  }
}

/** A client that listens, and what it has heard. */
export async function listen(
  subject: CoordinationSubject,
  bootId: BootId,
): Promise<{ node: Coordination; heard: Heard }> {
  const node = await subject.join();
  const heard: Heard = [];
  await node.subscribe(bootId, (message) => void heard.push(message));
  return { node, heard };
}

/** A message that tells which one it is. */
export function view(number: number): ClusterMessage {
  return { kind: "view", number };
}
