import assert from "node:assert/strict";
import { type BootId, type Clock, type ClusterMessage, type Coordination, wait } from "@tickwheel/core";

/** A medium under test, such as Redis. Each case finds it running and empty, with no client but its own. */
export interface CoordinationSubject {
  /** The clients' clock. */
  clock: Clock;
  /** How long announcements last, in milliseconds. Locks are requested for the same time. */
  keyTtlMs: number;
  /** Starts one more client. The subject stops it after the case. */
  join(): Promise<Coordination>;
  /** Deletes everything that the medium holds. Connections stay. */
  flush(): Promise<void>;
  /** Stops the medium: connections break, and new ones fail until `start`. */
  stop(): Promise<void>;
  /** Makes the medium hang: it answers nothing until `start`. */
  hang(): Promise<void>;
  /** Ends a stop or a hang. */
  start(): Promise<void>;
}

/** One check of a medium. It throws an `AssertionError` if the medium does not conform. */
export interface CoordinationCase {
  /** The medium's promise, as a sentence. */
  name: string;
  run(subject: CoordinationSubject): Promise<void>;
}

/** The messages that a node of the suite has received. */
export type Heard = unknown[];

const LIMIT_MS = 15_000;
const LOOK_EACH_MS = 20;

/** Checks a condition again and again until it holds. @throws AssertionError after a while */
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

/** A client that listens, and the messages that it has received. */
export async function listen(
  subject: CoordinationSubject,
  bootId: BootId,
): Promise<{ node: Coordination; heard: Heard }> {
  const node = await subject.join();
  const heard: Heard = [];
  await node.subscribe(bootId, (message) => void heard.push(message));
  return { node, heard };
}

/** A message that is recognised by its number. */
export function view(number: number): ClusterMessage {
  return { kind: "view", number };
}
