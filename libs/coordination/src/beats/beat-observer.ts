import {
  type BootId,
  type Clock,
  type ClusterStore,
  type Coordination,
  type LimitId,
  type NodeBeat,
  Rest,
} from "@tickwheel/core";
import type { Health, Outcome } from "../health/health.js";
import {
  deadOf,
  type Detector,
  type DetectorOptions,
  leavingOf,
  needsStore,
  NOBODY_SEEN,
  observe,
  type Sighting,
  suspectsOf,
  webhooksAreSigned,
} from "./failure-detector.js";

const OPERATION = "reading the beats";
/** Less than the pause between two looks. */
const MEDIUM_LIMIT_MS = 200;

export interface BeatObserverPorts {
  clock: Clock;
  store: Pick<ClusterStore, "readBeats">;
  coordination: Pick<Coordination, "readBeats">;
  health: Health;
}

/**
 * Reads all nodes' beats in each poll and updates the failure detector. Every node does so all the time, so a new
 * leader knows at once which nodes are silent. Cost: one read of the medium per poll, one of Postgres per interval, and
 * one more per poll while the medium has nothing or a beat stands still. While this node's own beats are not
 * acknowledged, it judges no node.
 */
export class BeatObserver {
  private detector: Detector = NOBODY_SEEN;
  private polledMonoMs: number | null = null;
  /** Whether the last look asked Postgres. */
  private asks = false;
  /** The last poll has counted nothing. */
  private isBlind = false;
  /** When each node's beat was last seen to move, wherever. For display. */
  private readonly moved = new Map<BootId, { beat: number; atMonoMs: number }>();
  private readonly patience: Rest;

  /** @param isFit whether this node's own beats get through */
  constructor(
    private readonly ports: BeatObserverPorts,
    private readonly options: DetectorOptions,
    private readonly isFit: () => boolean,
  ) {
    this.patience = new Rest(ports.clock);
  }

  async runOnce(): Promise<void> {
    const nowMonoMs = this.ports.clock.monotonicMs();
    const sinceLastMs = nowMonoMs - (this.polledMonoMs ?? nowMonoMs);
    this.polledMonoMs = nowMonoMs;
    const medium = await this.readMedium();
    this.asks = needsStore(this.detector, { medium, sinceLastMs }, this.options);
    const read = this.asks ? await this.readStore() : null;
    const reading = read === null ? null : read.ok ? read.value : "failed";
    const store = this.isFit() ? reading : "unfit";
    this.isBlind = store === "failed" || store === "unfit";
    this.detector = observe(this.detector, { medium, store, sinceLastMs }, this.options);
    this.noteMoves([...(medium ?? []), ...(Array.isArray(reading) ? reading : [])]);
  }

  /** Reads the beats now if Postgres has not yet listed the nodes. */
  async firstLook(): Promise<void> {
    if (this.detector.storeAgeMs === Infinity) await this.runOnce();
  }

  private readStore(): Promise<Outcome<NodeBeat[]>> {
    const { health, store } = this.ports;
    return health.attempt(
      OPERATION,
      () => store.readBeats(),
      () => this.asks,
    );
  }

  /**
   * Null: the medium has nothing, or answers too late. Waiting longer would make the poll take longer than it counts
   * for.
   */
  private async readMedium(): Promise<readonly NodeBeat[] | null> {
    const tooLate = this.patience.take(MEDIUM_LIMIT_MS).then(() => null);
    const read = this.ports.coordination.readBeats().catch(() => null);
    const medium = await Promise.race([read, tooLate]);
    this.patience.end();
    return medium;
  }

  suspects(): Set<BootId> {
    return suspectsOf(this.detector, this.options);
  }

  dead(): Set<BootId> {
    return deadOf(this.detector, this.options);
  }

  leaving(): Set<BootId> {
    return leavingOf(this.detector);
  }

  webhooksAreSigned(): boolean {
    return webhooksAreSigned(this.detector);
  }

  /** The nodes that say that they wait for a place of one of these limits. */
  waitingAt(limitIds: readonly LimitId[]): BootId[] {
    const seen = [...this.detector.sightings.values()];
    return seen.filter(({ vitals }) => vitals.waits?.some((id) => limitIds.includes(id))).map(({ bootId }) => bootId);
  }

  /** Which nodes are seen, have beaten, leave, are silent: equal text means an equal picture. */
  get scene(): string {
    const seen = [...this.detector.sightings.values()]
      .map(({ bootId, beat }) => `${bootId}${beat > 0 ? "+" : ""}`)
      .sort();
    return [seen, ...[this.leaving(), this.suspects(), this.dead()].map((nodes) => [...nodes].sort())].join(";");
  }

  sightings(): Iterable<Sighting> {
    return this.detector.sightings.values();
  }

  sighting(bootId: BootId): Sighting | null {
    return this.detector.sightings.get(bootId) ?? null;
  }

  /**
   * How long the beat has stood still until now; null if it was never seen. For display only: verdicts count polls, and
   * while Postgres does not answer they count nothing. The medium still shows then who beats.
   */
  beatAgeMs(bootId: BootId): number | null {
    const seen = this.sighting(bootId);
    if (seen === null || this.polledMonoMs === null) return null;
    const nowMonoMs = this.ports.clock.monotonicMs();
    if (!this.isBlind) return seen.ageMs + Math.max(0, nowMonoMs - this.polledMonoMs);
    return nowMonoMs - (this.moved.get(bootId)?.atMonoMs ?? nowMonoMs);
  }

  private noteMoves(beats: readonly NodeBeat[]): void {
    const nowMonoMs = this.ports.clock.monotonicMs();
    for (const { bootId, beat } of beats)
      if (beat !== this.moved.get(bootId)?.beat) this.moved.set(bootId, { beat, atMonoMs: nowMonoMs });
    for (const bootId of this.moved.keys()) if (!this.detector.sightings.has(bootId)) this.moved.delete(bootId);
  }
}
