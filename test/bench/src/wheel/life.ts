import { FiringLog } from "./firing-log.js";
import type { Implementation } from "./queues/implementations.js";
import type { TimerQueue } from "./queues/timer-queue.js";
import { expectedTicks, type Workload } from "./workload.js";

/** Swaps are timed in blocks of this many cancels and this many inserts. */
const SWAP_BLOCK = 1_000;

/** The handles by place. */
type HandleTable = { [place: number]: unknown };

/** How long each phase of a workload took, in ms; swaps are counted as inserts and cancels. */
export interface PhaseTimes {
  insertMs: number;
  moveMs: number;
  cancelMs: number;
  fireMs: number;
}

/** Actions at two points of a life; neither counts as time of another phase. */
export interface LifeHooks {
  /** After the first inserts. */
  onInserted?: () => void;
  /** Lets all remaining timers fire. */
  drain: (queue: TimerQueue<unknown>, log: FiringLog, workload: Workload) => void;
}

/**
 * One workload through a queue that is empty, from the first insert to the last timer. What it needs beside the queue
 * is reserved and touched at the start, so that growth of memory is the queue's.
 */
export class Life {
  readonly log: FiringLog;
  private readonly handles: HandleTable;

  constructor(
    private readonly queue: TimerQueue<unknown>,
    private readonly implementation: Implementation,
    private readonly workload: Workload,
  ) {
    const { count } = workload;
    this.log = new FiringLog(implementation.obeysClock ? count : 0);
    this.handles = implementation.hasNumericHandles
      ? new Float64Array(count).fill(0)
      : Array.from({ length: count }, () => null);
  }

  /** @throws BrokenQueueError if not everything fired once and in time */
  live({ onInserted, drain }: LifeHooks): PhaseTimes {
    const { queue, handles, workload } = this;
    const { obeysClock } = this.implementation;
    const times: PhaseTimes = { insertMs: 0, moveMs: 0, cancelMs: 0, fireMs: 0 };
    if (obeysClock && workload.startTick > 0) goTo(queue, workload.startTick);
    times.insertMs = timeOf(() => insertAll(queue, workload, handles));
    onInserted?.();
    if (obeysClock && workload.moves.places.length > 0) times.moveMs = timeOf(() => moveSome(queue, workload, handles));
    swapAll(queue, { workload, handles }, times);
    times.cancelMs += timeOf(() => cancelAt(queue, workload.cancels, handles));
    if (obeysClock) {
      times.fireMs = timeOf(() => drain(queue, this.log, workload));
      this.log.check(expectedTicks(workload));
    } else cancelRest(queue, workload, handles);
    return times;
  }
}

/** Nothing is due until then. */
function goTo(queue: TimerQueue<unknown>, tick: number): void {
  const out = new Float64Array(1);
  do queue.poll(tick, out);
  while (queue.hasMore);
}

function timeOf(phase: () => void): number {
  const startedMs = performance.now();
  phase();
  return performance.now() - startedMs;
}

function insertAll(queue: TimerQueue<unknown>, { count, deadlineTicks }: Workload, handles: HandleTable): void {
  for (let number = 0; number < count; number++) handles[number] = queue.insert(deadlineTicks[number]!, number);
}

function moveSome(queue: TimerQueue<unknown>, { moves }: Workload, handles: HandleTable): void {
  const { places, deadlineTicks } = moves;
  for (let i = 0; i < places.length; i++) {
    const place = places[i]!;
    handles[place] = queue.reschedule(handles[place], deadlineTicks[i]!);
  }
}

function cancelAt(queue: TimerQueue<unknown>, places: Int32Array, handles: HandleTable): void {
  for (let i = 0; i < places.length; i++) queue.cancel(handles[places[i]!]);
}

/** Timers that cannot fire must not be left for the next life. */
function cancelRest(queue: TimerQueue<unknown>, { count, cancels }: Workload, handles: HandleTable): void {
  const isCancelled = new Uint8Array(count);
  for (const place of cancels) isCancelled[place] = 1;
  for (let place = 0; place < count; place++) if (isCancelled[place] === 0) queue.cancel(handles[place]);
}

interface Swapping {
  workload: Workload;
  handles: HandleTable;
}

function swapAll(queue: TimerQueue<unknown>, { workload, handles }: Swapping, times: PhaseTimes): void {
  const { swaps, deadlineTicks } = workload;
  let number = workload.count;
  for (let round = 0; round < swaps.rounds; round++) {
    for (let start = 0; start < swaps.order.length; start += SWAP_BLOCK) {
      const places = swaps.order.subarray(start, start + SWAP_BLOCK);
      const ticks = deadlineTicks.subarray(number, number + places.length);
      times.cancelMs += timeOf(() => cancelAt(queue, places, handles));
      times.insertMs += timeOf(() => insertBlock(queue, { places, ticks, firstNumber: number }, handles));
      number += places.length;
    }
  }
}

interface InsertBlock {
  places: Int32Array;
  ticks: Float64Array;
  firstNumber: number;
}

function insertBlock(queue: TimerQueue<unknown>, block: InsertBlock, handles: HandleTable): void {
  const { places, ticks, firstNumber } = block;
  for (let i = 0; i < places.length; i++) handles[places[i]!] = queue.insert(ticks[i]!, firstNumber + i);
}
