import {
  type BootId,
  type Clock,
  type ClusterStore,
  type Coordination,
  hasLeft,
  type NodeBeat,
  type NodeRecord,
  TickwheelError,
  type View,
} from "@tickwheel/core";
import {
  type ClusterStatus,
  type Health,
  type NodeStatus,
  noteHealth,
  type Ownership,
  RendezvousOwnership,
} from "@tickwheel/coordination";
import { PeriodicService } from "../runtime/periodic-service.js";

const READ_INTERVAL_MS = 1_000;
const READING = "reading the cluster";

interface SpectatorSource {
  clock: Clock;
  health: Health;
  cluster: Pick<ClusterStore, "readView" | "readBeats">;
  /** For status alone. */
  reports: Pick<ClusterStore, "readNodes" | "readTerm">;
  coordination: Pick<Coordination, "kind" | "health">;
}

/**
 * The cluster as seen by a node that is no member, because it runs no tasks. About each second it reads the view, to
 * know which nodes get hints of the tasks that it writes, and the beats, to report their age. It owns nothing and does
 * not beat; an old view only costs lateness.
 */
export class StatusReader extends PeriodicService {
  readonly bootId = null;
  private seen: Ownership = new RendezvousOwnership(null, null);
  private beats = new Map<BootId, { newest: NodeBeat; sinceMonoMs: number }>();

  constructor(private readonly source: SpectatorSource) {
    super("view", source);
  }

  ownership(): Ownership {
    return this.seen;
  }

  async runOnce(): Promise<void> {
    noteHealth(this.source.coordination, this.source.health, () => this.isStarted);
    this.source.health.look();
    try {
      await this.read();
    } catch (error) {
      this.noteAbsence(error);
      throw error;
    }
    this.source.health.clear("postgres", READING);
  }

  /** For a node that is no member of the cluster, this tells whether Postgres is there. */
  private noteAbsence(error: unknown): void {
    if (!(error instanceof TickwheelError) || error.code !== "STORE_UNAVAILABLE") return;
    const detail = `${READING}: ${error.message}`;
    this.source.health.raise({
      part: "postgres",
      operation: READING,
      detail,
      error,
      isTried: () => this.isStarted,
    });
  }

  private async read(): Promise<void> {
    const view = await this.source.cluster.readView();
    if (view && view.number !== this.seen.viewNumber) this.seen = new RendezvousOwnership(view, null);
    const nowMonoMs = this.source.clock.monotonicMs();
    const beats = await this.source.cluster.readBeats();
    this.beats = new Map(
      beats.map((newest) => {
        const known = this.beats.get(newest.bootId);
        const sinceMonoMs = known?.newest.beat === newest.beat ? known.sinceMonoMs : nowMonoMs;
        return [newest.bootId, { newest, sinceMonoMs }];
      }),
    );
  }

  /** @throws what the store throws */
  async status(): Promise<ClusterStatus> {
    const { reports, coordination, health } = this.source;
    await this.runOnce();
    const degraded = health.list();
    const [nodes, term] = await Promise.all([reports.readNodes(), reports.readTerm()]);
    const leader = nodes.find(({ bootId }) => bootId === term.holder);
    return {
      coordination: degraded.some(({ part }) => part === "redis") ? "postgres-degraded" : coordination.kind,
      leader: leader ? { node: leader.label, bootId: leader.bootId, term: term.term } : null,
      view: this.seen.viewNumber,
      degraded,
      nodes: nodes.filter((node) => !hasLeft(node)).map((node) => this.nodeStatus(node)),
      former: nodes.filter(hasLeft),
    };
  }

  protected intervalMs(): number {
    return READ_INTERVAL_MS;
  }

  private nodeStatus(node: NodeRecord): NodeStatus {
    const beat = this.beats.get(node.bootId);
    const isInView = this.seen.nodes.some(({ bootId }: View["nodes"][number]) => bootId === node.bootId);
    const heartbeatAgeMs = beat ? this.source.clock.monotonicMs() - beat.sinceMonoMs : null;
    const state = node.state === "live" && !isInView ? "suspect" : node.state;
    return { ...node, state, heartbeatAgeMs, vitals: beat?.newest.vitals ?? null };
  }
}
