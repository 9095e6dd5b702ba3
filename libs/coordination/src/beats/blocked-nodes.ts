import type { BlockedLoop, BootId, Clock, Telemetry } from "@tickwheel/core";
import type { BeatObserver } from "./beat-observer.js";
import type { HealthIssue } from "../health/health.js";
import { inWords } from "./running-handlers.js";

/** A node that blocks again and again is reported at most this often. */
const TELL_INTERVAL_MS = 10_000;

interface BlockedNodesPorts {
  clock: Clock;
  telemetry: Telemetry;
  observer: Pick<BeatObserver, "sightings" | "beatAgeMs">;
}

interface Told {
  label: string;
  atMonoMs: number;
  isOver: boolean;
}

/**
 * Other nodes whose heartbeat reports a blocked event loop. They are a condition of the cluster while their beats are
 * seen. Every node that sees it emits one event when it begins and one when it ends. Memory: only what was reported,
 * for ten seconds.
 */
export class BlockedNodes {
  private readonly told = new Map<BootId, Told>();

  /** @param self this node, which reports its own block when its loop turns again */
  constructor(
    private readonly ports: BlockedNodesPorts,
    private readonly self: () => BootId | null,
  ) {}

  /** After each look at the beats. */
  note(): void {
    const nowMonoMs = this.ports.clock.monotonicMs();
    const seen = new Set<BootId>();
    for (const { bootId, label, blocked } of this.blocked()) {
      seen.add(bootId);
      if (!this.told.has(bootId)) this.tellBlocked({ bootId, label }, blocked);
    }
    for (const [bootId, told] of this.told) {
      if (!seen.has(bootId) && !told.isOver) this.tellOver(bootId, told);
      if (told.isOver && nowMonoMs - told.atMonoMs >= TELL_INTERVAL_MS) this.told.delete(bootId);
    }
  }

  list(): HealthIssue[] {
    return this.blocked().map(({ bootId, label, blocked }) => ({
      part: `node ${label}`,
      forMs: blocked.forMs + (this.ports.observer.beatAgeMs(bootId) ?? 0),
      detail: `its event loop is blocked; running: ${inWords(blocked.running)}`,
    }));
  }

  private blocked(): { bootId: BootId; label: string; blocked: BlockedLoop }[] {
    const self = this.self();
    return [...this.ports.observer.sightings()].flatMap(({ bootId, label, vitals: { blocked } }) =>
      blocked && bootId !== self ? [{ bootId, label, blocked }] : [],
    );
  }

  private tellBlocked({ bootId, label }: { bootId: BootId; label: string }, { forMs, running }: BlockedLoop): void {
    this.told.set(bootId, { label, atMonoMs: this.ports.clock.monotonicMs(), isOver: false });
    this.ports.telemetry.emit({
      name: "cluster.node.blocked",
      level: "warn",
      message: `The event loop of node ${label} is blocked; running: ${inWords(running)}`,
      facts: { bootId, label, blockedMs: forMs, types: running.map(({ type }) => type) },
    });
  }

  private tellOver(bootId: BootId, told: Told): void {
    told.isOver = true;
    const { label } = told;
    const message = `The event loop of node ${label} is not blocked any more, or the node is gone`;
    this.ports.telemetry.emit({ name: "cluster.node.unblocked", level: "info", message, facts: { bootId, label } });
  }
}
