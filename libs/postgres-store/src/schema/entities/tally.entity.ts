import { Column, Entity, Index, PrimaryColumn } from "typeorm";

const count = { type: "bigint", default: 0 } as const;

/**
 * What happened to tasks of a type: appended by nodes second by second, folded later. A row is never changed, except
 * that retention clears its counters of finished tasks.
 */
@Entity("tally")
@Index("tally_at", ["at"])
export class TallyEntity {
  /** The beginning of its span. */
  @PrimaryColumn({ type: "timestamptz", precision: 3 }) at!: Date;
  /** 0: a second of one node; 1, 10, 60, 1440: all of a minute, ten minutes, an hour, a day (UTC). */
  @PrimaryColumn("smallint", { name: "span_minutes" }) spanMinutes!: number;
  @PrimaryColumn("integer", { name: "type_id" }) typeId!: number;
  @Column(count) created!: string;
  @Column(count) started!: string;
  /** Attempts that failed. */
  @Column(count) failed!: string;
  @Column(count) dead!: string;
  @Column(count) succeeded!: string;
  /** Of these, the ones whose condition said no. */
  @Column(count) skipped!: string;
  @Column(count) cancelled!: string;
  @Column(count) expired!: string;
  /** The largest lateness. */
  @Column("bigint", { name: "latest_ms", nullable: true }) latestMs!: string | null;
  /** Upper bounds of lateness, and how many starts each holds. */
  @Column("integer", { name: "lateness_ms", array: true, nullable: true }) latenessMs!: number[] | null;
  @Column("bigint", { name: "lateness_count", array: true, nullable: true }) latenessCount!: string[] | null;
  /** Milliseconds for which handlers held places. */
  @Column("bigint", { name: "place_ms", default: 0 }) placeMs!: string;
  @Column("text", { name: "last_error", nullable: true }) lastError!: string | null;
  /** The lateness of all starts in parts, each part added up, in milliseconds. */
  @Column("bigint", { name: "late_known_ms", default: 0 }) lateKnownMs!: string;
  @Column("bigint", { name: "late_wheel_ms", default: 0 }) lateWheelMs!: string;
  @Column("bigint", { name: "late_place_ms", default: 0 }) latePlaceMs!: string;
  @Column("bigint", { name: "late_claim_ms", default: 0 }) lateClaimMs!: string;
  @Column("bigint", { name: "late_start_ms", default: 0 }) lateStartMs!: string;
}
