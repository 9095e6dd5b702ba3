import {
  LATENESS_PARTS,
  type LatenessPart,
  type LatenessPartsMs,
  type MetricReading,
  type OperationAction,
  readingOf,
} from "@tickwheel/core";
import { Distribution } from "./distribution.js";
import { type NameOf, TypeTotals } from "./type-totals.js";

/** The first bound of what takes a round trip to the store, in milliseconds. */
const ROUND_TRIP_UNIT_MS = 0.25;

/**
 * What this node has counted and measured since it was made, for `/metrics`: additions to numbers, nothing for each
 * task, and no text before somebody asks. A counter never goes down.
 */
export class NodeMeters {
  readonly types = new TypeTotals();
  private readonly parts: Record<LatenessPart, Distribution> = {
    known: new Distribution(),
    wheel: new Distribution(),
    place: new Distribution(),
    claim: new Distribution(),
    start: new Distribution(),
  };
  private readonly claims = new Distribution(ROUND_TRIP_UNIT_MS);
  private claimAsked = 0;
  private claimGot = 0;
  private claimFailures = 0;
  private readonly settles = new Distribution(ROUND_TRIP_UNIT_MS);
  private readonly takeovers = new Distribution();
  private readonly lags = new Distribution();
  private takenBack = 0;
  private readonly limitedClaims = { claimed: 0, taken: 0, full: 0 };
  private granted = 0;
  private readonly operations = new Map<OperationAction, { changed: number; undone: number }>();

  /** A task started late. */
  late(parts: LatenessPartsMs): void {
    this.parts.known.record(parts.known);
    this.parts.wheel.record(parts.wheel);
    this.parts.place.record(parts.place);
    this.parts.claim.record(parts.claim);
    this.parts.start.record(parts.start);
  }

  claimed({ asked, got, tookMs }: { asked: number; got: number; tookMs: number }): void {
    this.claims.record(tookMs);
    this.claimAsked += asked;
    this.claimGot += got;
  }

  claimFailed(): void {
    this.claimFailures++;
  }

  /** A claim within limits: it brought tasks, or found another claim at work, or found too few places. */
  limitedClaim(outcome: "claimed" | "taken" | "full"): void {
    this.limitedClaims[outcome]++;
  }

  /** This number of tokens of rates was granted. */
  tokensGranted(tokens: number): void {
    this.granted += tokens;
  }

  /** A page of an operation has changed so many tasks, or put them back. */
  operated(action: OperationAction, outcome: "changed" | "undone", tasks: number): void {
    const counts = this.operations.get(action) ?? { changed: 0, undone: 0 };
    counts[outcome] += tasks;
    this.operations.set(action, counts);
  }

  /** The store has acknowledged a batch of ends. */
  settled(tookMs: number): void {
    this.settles.record(tookMs);
  }

  /** This node took over from one that was silent for so long. */
  tookOver(silentMs: number): void {
    this.takeovers.record(Math.max(0, silentMs));
  }

  /** This number of running tasks of dead nodes was given to the living. */
  tookBack(tasks: number): void {
    this.takenBack += tasks;
  }

  /** A timer fired so late. */
  lagged(ms: number): void {
    this.lags.record(Math.max(0, ms));
  }

  read(nameOf: NameOf): MetricReading[] {
    const parts = LATENESS_PARTS.map((part) => ({ labels: { part }, value: this.parts[part].read() }));
    return [
      ...this.types.read(nameOf),
      { name: "tickwheel_task_lateness_part_seconds", samples: parts },
      readingOf("tickwheel_claim_seconds", this.claims.read()),
      readingOf("tickwheel_claim_asked_total", this.claimAsked),
      readingOf("tickwheel_claim_got_total", this.claimGot),
      readingOf("tickwheel_claim_failures_total", this.claimFailures),
      {
        name: "tickwheel_limit_claims_total",
        samples: Object.entries(this.limitedClaims).map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
      readingOf("tickwheel_rate_tokens_granted_total", this.granted),
      {
        name: "tickwheel_operation_tasks_total",
        samples: [...this.operations].flatMap(([action, counts]) =>
          Object.entries(counts).map(([outcome, value]) => ({ labels: { action, outcome }, value })),
        ),
      },
      readingOf("tickwheel_settle_seconds", this.settles.read()),
      readingOf("tickwheel_takeover_seconds", this.takeovers.read()),
      readingOf("tickwheel_tasks_taken_back_total", this.takenBack),
      readingOf("tickwheel_loop_lag_seconds", this.lags.read()),
    ];
  }
}
