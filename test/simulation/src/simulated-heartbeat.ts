import {
  type Heartbeat,
  type HeartbeatIdentity,
  type HeartbeatListener,
  type HeartbeatSnapshot,
  LoopHeartbeat,
  LoopWatch,
  type RunningHandlers,
  SNAPSHOT_INTERVAL_MS,
} from "@tickwheel/coordination";
import type { Clock, ClockTimer, ClusterStore, Coordination, Telemetry } from "@tickwheel/core";
import type { SimulatedNodeClock } from "@tickwheel/simulation";

/** Used if there are no keys to renew. */
const SILENT: Pick<Coordination, "announce"> = { announce: () => Promise.resolve() };

export interface SimulatedHeartbeatParts {
  virtual: Clock;
  clock: SimulatedNodeClock;
  /** The thread's own connections. */
  store: Pick<ClusterStore, "beat">;
  /** Null: there is no Redis, so no keys are renewed. */
  redis: Coordination | null;
  telemetry: Telemetry;
  heartbeatIntervalMs: number;
  loopBlockedFenceMs: number;
  runningHandlers: RunningHandlers;
  /** How long the main loop has been blocked. */
  fenced: () => void;
}

type Source = () => HeartbeatSnapshot;

/**
 * The heartbeat's thread of a simulated node: the beats are production's; the thread is a loop of the node's clock that
 * goes on while the main loop is blocked. Their messages to each other pass through the inlets of both.
 */
export class SimulatedHeartbeat implements Heartbeat {
  private beating: { heartbeat: LoopHeartbeat; watch: LoopWatch; source: Source; isOver: boolean } | null = null;
  private timer: ClockTimer | null = null;

  constructor(private readonly parts: SimulatedHeartbeatParts) {}

  async start(identity: HeartbeatIdentity, source: Source, listener: HeartbeatListener): Promise<void> {
    await this.stop();
    const { clock, store, redis, telemetry, heartbeatIntervalMs } = this.parts;
    const { worker } = clock;
    const heartbeat = new LoopHeartbeat(
      { clock: worker, store, coordination: redis ?? SILENT, telemetry },
      { heartbeatIntervalMs, mainLoopAlive: () => watch.mayBeat },
    );
    const watch = this.watchOver(heartbeat, source());
    const beating = (this.beating = { heartbeat, watch, source, isOver: false });
    const toMain = (work: () => void): void => {
      this.cross(clock, () => {
        if (!beating.isOver) work();
      });
    };
    this.cross(worker, () => {
      void redis?.start();
      watch.start();
      void heartbeat.start(identity, () => watch.snapshot(), {
        beatGood: (good) => toMain(() => listener.beatGood(good)),
        lost: () => toMain(() => listener.lost()),
      });
    });
    const feed = (): void => {
      this.timer = clock.setTimer(SNAPSHOT_INTERVAL_MS, () => {
        if (beating.isOver) return;
        const news = source();
        this.cross(worker, () => watch.heard(news));
        feed();
      });
    };
    feed();
  }

  beatSoon(): void {
    if (this.beating === null) return;
    const { heartbeat, watch, source } = this.beating;
    const news = source();
    this.cross(this.parts.clock.worker, () => {
      watch.heard(news);
      heartbeat.beatSoon();
    });
  }

  /** Terminates the thread: it sends nothing more, and its earlier messages are not received. */
  stop(): Promise<void> {
    this.timer?.clear();
    this.timer = null;
    if (this.beating) {
      this.beating.isOver = true;
      this.beating.watch.stop();
      void this.beating.heartbeat.stop();
      void this.parts.redis?.stop();
    }
    this.beating = null;
    return Promise.resolve();
  }

  private watchOver(heartbeat: LoopHeartbeat, first: HeartbeatSnapshot): LoopWatch {
    const { clock, runningHandlers, fenced, loopBlockedFenceMs } = this.parts;
    const listener = { changed: () => heartbeat.beatSoon(), turnsAgain: () => undefined, fenced };
    return new LoopWatch({ clock: clock.worker, runningHandlers, listener }, { loopBlockedFenceMs, first });
  }

  private cross(to: { deliver(work: () => void): void }, work: () => void): void {
    this.parts.virtual.setTimer(0, () => to.deliver(work));
  }
}
