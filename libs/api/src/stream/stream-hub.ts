import type { ApiKey, Clock, EpochMs, Turns } from "@tickwheel/core";
import { problemOf } from "../problems/problem.js";
import { TopicCell } from "./topic-cell.js";
import { type EventSink, Viewer, type ViewerOptions } from "./viewer.js";

/** How often the viewers are told the time, and what has changed, in milliseconds. */
const ROUND_MS = 1_000;
/** A topic is computed no more often; a little less than a round, whose timer is never exact. */
const COMPUTED_MS = 900;
/** The key of each viewer is looked at anew every so many rounds. */
const ROUNDS_PER_CHECK = 5;
/** A viewer whose key nobody could look up for so long is ended, in milliseconds. */
const UNCHECKED_MS = 10 * 60 * 1_000;

/** What a stream can show: the answer of a call, and with whom it is shared. */
export interface StreamSource {
  /** Callers with the same text see the same answer of the topic. */
  groupOf(topic: string, apiKey: ApiKey): string;
  answer(topic: string, apiKey: ApiKey): Promise<unknown>;
}

export interface StreamHubPorts {
  clock: Pick<Clock, "monotonicMs" | "setTimer">;
  turns: Pick<Turns, "isOver" | "next">;
  source: StreamSource;
  /** The database's time. */
  nowMs(): EpochMs;
  /** This node's label; told to keys with the right `cluster`. */
  node: string;
  /** Hears of a topic that begins to fail. */
  onFailure(topic: string, error: unknown): void;
}

const KEY_OVER = eventOf("end", { code: "UNAUTHENTICATED", detail: "The key or the session of this stream is over." });
const UNKNOWN = eventOf("end", {
  code: "STORE_UNAVAILABLE",
  detail: "Nobody could look for ten minutes whether the key still works.",
});
const STOPPING = eventOf("end", { code: "STORE_UNAVAILABLE", detail: "This node is stopping." });

/**
 * Tells all viewers of a node once a second the time and what has changed. Each topic is computed at most once a
 * second for all viewers of the same rights, and written once; without viewers nothing is done.
 *
 * A viewer is sent a topic when its text has changed since he was sent it. One who does not read is left out until he
 * does: see {@link Viewer}. One whose key or session is over gets a message about it, within five seconds and the time
 * for which a look-up is believed.
 */
export class StreamHub {
  private readonly viewers = new Set<Viewer>();
  private readonly cells = new Map<string, TopicCell>();
  private isRunning = false;

  constructor(private readonly ports: StreamHubPorts) {}

  /** @returns ends the viewer's part: to be called when his connection is gone */
  add(options: ViewerOptions, sink: EventSink): () => void {
    const viewer = new Viewer(options, sink);
    viewer.liveMonoMs = this.ports.clock.monotonicMs();
    this.viewers.add(viewer);
    const node = options.apiKey.cluster ? { node: this.ports.node } : {};
    viewer.tell(eventOf("hello", { at: this.at(), ...node, topics: options.topics }));
    for (const topic of options.topics) this.join(viewer, topic);
    if (!this.isRunning) this.roundLater();
    return () => this.end(viewer, null);
  }

  /** Ends all streams, so that a stop does not wait for them. */
  endAll(): void {
    for (const viewer of this.viewers) this.end(viewer, STOPPING);
  }

  private join(viewer: Viewer, topic: string): void {
    const { apiKey } = viewer.options;
    const group = `${topic} ${this.ports.source.groupOf(topic, apiKey)}`;
    let cell = this.cells.get(group);
    if (!cell) this.cells.set(group, (cell = new TopicCell(this.computing(topic, apiKey))));
    cell.viewers.add(viewer);
    viewer.show(cell);
    void this.refresh(cell);
  }

  /** A topic that goes on failing is reported once. */
  private computing(topic: string, apiKey: ApiKey): () => Promise<Buffer> {
    let isFailing = false;
    return async () => {
      try {
        const event = eventOf(topic, await this.ports.source.answer(topic, apiKey));
        isFailing = false;
        return event;
      } catch (error) {
        if (!isFailing) this.ports.onFailure(topic, error);
        isFailing = true;
        return eventOf("problem", { topic, problem: problemOf(error) });
      }
    };
  }

  private roundLater(): void {
    this.isRunning = true;
    this.ports.clock.setTimer(ROUND_MS, () => void this.round());
  }

  /**
   * A cell without viewers stays for a round: a viewer who comes and goes all the time has nothing computed more often.
   */
  private async round(): Promise<void> {
    for (const [group, cell] of this.cells) if (cell.viewers.size === 0) this.cells.delete(group);
    this.isRunning = false;
    if (this.viewers.size === 0 && this.cells.size === 0) return;
    this.roundLater();
    const tick = eventOf("tick", { at: this.at() });
    const cells = [...this.cells.values()];
    await this.each(this.viewers, (viewer) => this.turnTo(viewer, tick));
    for (const cell of cells) void this.refresh(cell);
  }

  private turnTo(viewer: Viewer, tick: Buffer): void {
    viewer.tell(tick);
    if (++viewer.roundsUnchecked >= ROUNDS_PER_CHECK && !viewer.isChecking) void this.check(viewer);
  }

  private async refresh(cell: TopicCell): Promise<void> {
    if (!(await cell.refresh(this.ports.clock.monotonicMs(), COMPUTED_MS))) return;
    await this.each(cell.viewers, (viewer) => viewer.show(cell));
  }

  /** Hundreds of writes at once would keep the loop. */
  private async each(viewers: ReadonlySet<Viewer>, work: (viewer: Viewer) => void): Promise<void> {
    const { turns } = this.ports;
    for (const viewer of Array.from(viewers)) {
      if (turns.isOver()) await turns.next();
      if (!viewer.isOver) work(viewer);
    }
  }

  private async check(viewer: Viewer): Promise<void> {
    viewer.isChecking = true;
    viewer.roundsUnchecked = 0;
    try {
      const found = await viewer.options.findKey();
      if (found === null || !hasSameRights(found, viewer.options.apiKey)) return this.end(viewer, KEY_OVER);
      viewer.liveMonoMs = this.ports.clock.monotonicMs();
    } catch {
      // Nobody knows, so it goes on for a while.
      if (this.ports.clock.monotonicMs() - viewer.liveMonoMs >= UNCHECKED_MS) this.end(viewer, UNKNOWN);
    } finally {
      viewer.isChecking = false;
    }
  }

  private end(viewer: Viewer, event: Buffer | null): void {
    this.viewers.delete(viewer);
    for (const cell of this.cells.values()) cell.viewers.delete(viewer);
    viewer.end(event);
  }

  private at(): string {
    return new Date(this.ports.nowMs()).toISOString();
  }
}

function hasSameRights(one: ApiKey, other: ApiKey): boolean {
  return one.namespace === other.namespace && one.role === other.role && one.cluster === other.cluster;
}

/** A server-sent event whose data is JSON: one line, since JSON has no line breaks. Made once, written to many. */
function eventOf(name: string, data: unknown): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}
