import { FlatqueueQueue } from "./flatqueue-queue.js";
import { HeapJsQueue } from "./heap-js-queue.js";
import { IndexedHeapQueue } from "./indexed-heap-queue.js";
import { NaiveQueue } from "./naive-queue.js";
import { RoundsQueue } from "./rounds-queue.js";
import { SetTimeoutQueue } from "./set-timeout-queue.js";
import type { TimerQueue } from "./timer-queue.js";
import { createWheel64 } from "./wheel64-queue.js";
import { WheelQueue } from "./wheel-queue.js";

/** An implementation under test. */
export interface Implementation {
  readonly describes: string;
  readonly create: () => TimerQueue<unknown>;
  /** Its handles are numbers, so that a table of them needs no objects. */
  readonly hasNumericHandles: boolean;
  /** It accepts a time, and a timer can be moved; otherwise only insert and cancel are measured. */
  readonly obeysClock: boolean;
}

/** Every implementation by its name. */
export const implementations = {
  wheel: {
    describes: "@tickwheel/timing-wheel with its defaults",
    create: () => new WheelQueue(),
    hasNumericHandles: true,
    obeysClock: true,
  },
  wheel64: {
    describes: "the same with levels of 64 slots",
    create: createWheel64,
    hasNumericHandles: true,
    obeysClock: true,
  },
  "indexed-heap": {
    describes: "a heap with four children a node in typed arrays, and the place of each timer",
    create: () => new IndexedHeapQueue(),
    hasNumericHandles: true,
    obeysClock: true,
  },
  flatqueue: {
    describes: "the npm package; cancel marks, the pop skips",
    create: () => new FlatqueueQueue(),
    hasNumericHandles: true,
    obeysClock: true,
  },
  "heap-js": {
    describes: "the npm package; cancel marks, the pop skips",
    create: () => new HeapJsQueue(),
    hasNumericHandles: false,
    obeysClock: true,
  },
  rounds: {
    describes: "one ring of 512 slots with cycles, as in Netty",
    create: () => new RoundsQueue(),
    hasNumericHandles: false,
    obeysClock: true,
  },
  naive: {
    describes: "a Map from tick to a list",
    create: () => new NaiveQueue(),
    hasNumericHandles: false,
    obeysClock: true,
  },
  setTimeout: {
    describes: "Node's timers; insert and cancel only",
    create: () => new SetTimeoutQueue(),
    hasNumericHandles: false,
    obeysClock: false,
  },
} as const satisfies Record<string, Implementation>;

export type ImplementationName = keyof typeof implementations;

export const implementationNames = Object.keys(implementations) as ImplementationName[];
