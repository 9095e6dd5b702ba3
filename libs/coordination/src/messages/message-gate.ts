import { type Clock, type ClockTimer, type ClusterMessage, readMessage } from "@tickwheel/core";
import type { Health } from "../health/health.js";
import { Throttle } from "../health/throttle.js";

const PART = "messages";
/** After so long without another refused message nothing is wrong any more. */
const QUIET_MS = 10_000;
/** Messages that tell of a new view make a node read it so often at most. */
const NEWS_PAUSE_MS = 100;

interface GateListener {
  /** The number of the newest view that this node knows. */
  view(): number;
  /** There may be a newer view. */
  newView(): void;
  received(message: ClusterMessage): void;
}

/**
 * [hints-only]: where all that comes to a node over NOTIFY and Redis meets, and anybody may have sent it. What is no
 * message of ours is counted and dropped; while such come, that is a condition of the node, told when it begins and
 * when none has come for ten seconds.
 */
export class MessageGate {
  /** How many messages were refused so far. */
  refused = 0;
  private toldOf = 0;
  private timer: ClockTimer | null = null;
  private readonly newView: Throttle;

  constructor(
    private readonly clock: Clock,
    private readonly health: Health,
    private readonly listener: GateListener,
  ) {
    this.newView = new Throttle(clock, NEWS_PAUSE_MS, () => listener.newView());
  }

  /** Takes what arrived, if it is a message. Never throws, whatever arrived: its callers are drivers of sockets. */
  pass(arrived: unknown): void {
    try {
      const message = readMessage(arrived);
      if (message === null) return this.refuse();
      if (message.kind === "view" && message.number > this.listener.view()) this.newView.ask();
      this.listener.received(message);
    } catch (error) {
      this.refuse(error);
    }
  }

  /** Forgets what was wrong, and what was said. */
  stop(): void {
    this.newView.stop();
    this.timer?.clear();
    this.timer = null;
    this.health.clear(PART);
  }

  private refuse(error?: unknown): void {
    this.refused++;
    if (this.timer === null) this.tell(error);
  }

  private tell(error?: unknown): void {
    this.toldOf = this.refused;
    this.timer = this.clock.setTimer(QUIET_MS, () => {
      this.timer = null;
      if (this.refused > this.toldOf) this.tell();
      else this.health.clear(PART);
    });
    const detail = `${this.refused} messages were dropped so far that no node of this cluster sends: somebody else speaks here`;
    this.health.raise({ part: PART, detail, error, isTried: () => this.timer !== null });
  }
}
