import { setTimeout as delay } from "node:timers/promises";
import type { Answer, HttpCalls } from "../cluster/http-calls.js";

const GIVE_UP_AFTER_MS = 60_000;
const LONGEST_PAUSE_MS = 500;

/**
 * The shop's calls, each made until it is answered: one that got no answer, or a 5xx, is tried on the next node with
 * the same order id. The shop answers a repeat as it did the first time, so a call whose answer was lost does no harm.
 */
export class OrderCalls {
  private turn = 0;

  constructor(
    private readonly http: HttpCalls,
    private readonly urls: () => readonly string[],
    /** How many times longer than on a quiet machine a limit is at present. */
    private readonly stretch: () => number = () => 1,
  ) {}

  /** @returns when the order is to be cancelled, in epoch milliseconds of the database's clock */
  async place(orderId: string, timeoutMs: number): Promise<number> {
    const { status, body } = await this.call("/orders", { orderId, timeoutMs });
    if (status !== 201) throw new Error(`POST /orders was answered ${status}: ${body}`);
    const { cancelAt } = JSON.parse(body) as { cancelAt: string };
    return Date.parse(cancelAt);
  }

  async pay(orderId: string): Promise<"paid" | "too_late"> {
    const { status, body } = await this.call(`/orders/${orderId}/payment`, {});
    if (status === 200) return "paid";
    if (status === 409) return "too_late";
    throw new Error(`POST /orders/${orderId}/payment was answered ${status}: ${body}`);
  }

  private async call(path: string, body: object): Promise<Answer> {
    let lastTrouble = "there is no node";
    const startMs = Date.now();
    for (let tries = 1; Date.now() < startMs + GIVE_UP_AFTER_MS * this.stretch(); tries++) {
      const url = this.nextUrl();
      try {
        const answer = url === undefined ? null : await this.http.post(url + path, body);
        if (answer && answer.status < 500) return answer;
        if (answer) lastTrouble = `${answer.status} ${answer.body}`;
      } catch (error) {
        lastTrouble = String(error);
      }
      await delay(Math.min(LONGEST_PAUSE_MS, 10 * 2 ** tries));
    }
    throw new Error(
      `No node answered POST ${path} within ${((Date.now() - startMs) / 1_000).toFixed(0)} s: ${lastTrouble}`,
    );
  }

  /** Turn by turn, so that a second try goes to another node. */
  private nextUrl(): string | undefined {
    const urls = this.urls();
    this.turn += 1;
    return urls[this.turn % Math.max(1, urls.length)];
  }
}
