import type { MetricReading, PullReply } from "@tickwheel/core";

/** What a consumer may say at the end of a claim. */
export type EndingWord = "complete" | "fail" | "release";
type Word = EndingWord | "extend";
type PullOutcome = "tasks" | "empty" | "paused" | "full";

/** What this node has done for consumers since it was made, for `/metrics`: additions to numbers. */
export class PullMeters {
  private readonly pulls = new Map<PullOutcome, number>();
  private readonly words = new Map<string, { labels: { call: Word; outcome: "done" | "refused" }; value: number }>();
  private leasesEnded = 0;

  pulled({ tasks, isPaused, isFull }: PullReply): void {
    const outcome = tasks.length > 0 ? "tasks" : isPaused ? "paused" : isFull ? "full" : "empty";
    this.pulls.set(outcome, (this.pulls.get(outcome) ?? 0) + 1);
  }

  /** Counts a call, and passes its outcome on. */
  async counted<Reply>(call: Word, reply: Promise<Reply>): Promise<Reply> {
    try {
      const answer = await reply;
      this.said(call, "done");
      return answer;
    } catch (error) {
      this.said(call, "refused");
      throw error;
    }
  }

  ended(leases: number): void {
    this.leasesEnded += leases;
  }

  read(): MetricReading[] {
    const pulls = [...this.pulls].map(([outcome, value]) => ({ labels: { outcome }, value }));
    return [
      { name: "tickwheel_pulls_total", samples: pulls },
      { name: "tickwheel_claim_calls_total", samples: [...this.words.values()] },
      { name: "tickwheel_leases_ended_total", samples: [{ labels: {}, value: this.leasesEnded }] },
    ];
  }

  private said(call: Word, outcome: "done" | "refused"): void {
    const name = `${call} ${outcome}`;
    const known = this.words.get(name) ?? { labels: { call, outcome }, value: 0 };
    known.value++;
    this.words.set(name, known);
  }
}
