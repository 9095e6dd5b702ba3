import { type Clock, type ClockTimer, type ClusterMessage, readMessage } from "@tickwheel/core";
import type { Health } from "../health/health.js";
import { Throttle } from "../health/throttle.js";

const PART = "messages";
/** After this long without another refused message the condition is over. */
const QUIET_MS = 10_000;
/** Messages that announce a new view make a node read it at most this often. */
const NEWS_PAUSE_MS = 100;

interface GateListener {
  /** The number of the newest view that this node knows. */
  view(): number;
  /** There may be a newer view. */
  newView(): void;
  received(message: ClusterMessage): void;
}

/**
 * [hints-only]: where everything that reaches a node over NOTIFY and Redis arrives; anybody may have sent it. An
 * invalid message is counted and dropped. While such messages arrive, that is a condition of the node, reported when it
 * begins and when none has arrived for ten seconds.
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

  /**
   * Takes what arrived, if it is a valid message. Never throws, whatever arrived: its callers are drivers of sockets.
   */
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

  /** Ends the condition, and drops the pending announcement. */
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
