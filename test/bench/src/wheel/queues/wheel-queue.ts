import { type TimerHandle, TimingWheel, type TimingWheelOptions } from "@tickwheel/timing-wheel";
import { POLL_MOVES, type TimerQueue } from "./timer-queue.js";

/** `wheel`: @tickwheel/timing-wheel, with its defaults unless told otherwise, polled as the engine polls it. */
export class WheelQueue implements TimerQueue<TimerHandle> {
  private readonly wheel: TimingWheel;

  constructor(options: TimingWheelOptions = {}) {
    this.wheel = new TimingWheel(options);
  }

  get size(): number {
    return this.wheel.size;
  }

  get hasMore(): boolean {
    return this.wheel.hasMore;
  }

  insert(deadlineTick: number, value: number): TimerHandle {
    return this.wheel.insert(deadlineTick, value);
  }

  cancel(handle: TimerHandle): void {
    this.wheel.cancel(handle);
  }

  reschedule(handle: TimerHandle, deadlineTick: number): TimerHandle {
    this.wheel.reschedule(handle, deadlineTick);
    return handle;
  }

  poll(nowTick: number, out: Float64Array): number {
    return this.wheel.poll(nowTick, out, POLL_MOVES);
  }

  nextExpiryTick(): number {
    return this.wheel.nextExpiryTick();
  }
}
