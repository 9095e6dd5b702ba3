import {
  type AheadReading,
  type AheadRequest,
  type Clock,
  type EpochMs,
  type FigureStore,
  type HistoryReading,
  type HistoryRequest,
  type Pace,
  type SlotOwners,
  type SnapshotReading,
  type StoreSettings,
  TAB_COUNTS_MS,
  type TabCounts,
  turns,
  type TypeFiguresReading,
  type WheelReading,
} from "@tickwheel/core";
import { madeAhead, type MadeAhead } from "@tickwheel/schedules";
import { KeptAnswers } from "../reading/kept-answers.js";
import type { ReadPool } from "../connection/read-pool.js";
import type { Statement } from "../connection/session.js";
import { countTabs } from "../statements/read/count-tabs.js";
import { tallyHistory } from "../statements/read/tally-history.js";
import { tallyPace } from "../statements/read/tally-pace.js";
import { allBuckets, tasksAhead } from "../statements/read/tasks-ahead.js";
import { tasksByOwner } from "../statements/read/tasks-by-owner.js";
import { typeFigures } from "../statements/read/type-figures.js";
import { snapshotHolders } from "../statements/server/snapshot-holders.js";
import { readSettings } from "../statements/server/read-settings.js";
import { schedulesAhead } from "../statements/schedules/schedules-ahead.js";

const FIGURES_TIMEOUT_MS = 10_000;
/** The counts of tabs are kept for half of their greatest age, and given for the other half while they are counted. */
const TAB_AGES = { mostKeptMs: TAB_COUNTS_MS / 2, toldMs: TAB_COUNTS_MS / 2 };

/** Figures for people, counted on the connections for reads, at a bounded share of one of them. */
export class PostgresFigureStore implements FigureStore {
  private readonly kept: KeptAnswers<unknown>;
  private readonly keptTabs: KeptAnswers<TabCounts>;

  constructor(
    private readonly reads: Pick<ReadPool, "of">,
    private readonly options: { clock: Pick<Clock, "monotonicMs">; asOf?: () => EpochMs },
  ) {
    this.kept = new KeptAnswers(options.clock);
    this.keptTabs = new KeptAnswers(options.clock, TAB_AGES);
  }

  async types(namespace: string | null): Promise<TypeFiguresReading> {
    return this.answer(["types", namespace], async () => {
      const rows = await this.read(typeFigures, { namespace }, namespace);
      return { countedAt: rows[0]!.countedAt, types: rows.flatMap(({ figures }) => figures ?? []) };
    });
  }

  async history(request: HistoryRequest): Promise<HistoryReading> {
    const { namespace, type = null, bucketMs, buckets } = request;
    return this.answer(["history", namespace, type, bucketMs, buckets], async () => {
      const rows = await this.read(tallyHistory, request, namespace);
      return {
        countedAt: rows[0]!.countedAt,
        buckets: rows.map(({ countedAt: _ofAll, ...bucket }) => bucket),
      };
    });
  }

  async ahead(request: AheadRequest): Promise<AheadReading> {
    const { namespace, type = null, bucketMs, buckets } = request;
    return this.answer(["ahead", namespace, type, bucketMs, buckets], async () => {
      const reading = (await this.read(tasksAhead, request, namespace))[0]!;
      const made = await this.madeBehind(reading.countedAt, request);
      return { ...reading, buckets: allBuckets(reading, made, bucketMs), schedulesCut: made.isCut };
    });
  }

  /** What schedules will make, worked out in turns that let the loop go on. */
  private async madeBehind(from: EpochMs, { namespace, type, bucketMs, buckets }: AheadRequest): Promise<MadeAhead> {
    const schedules = await this.read(schedulesAhead, { namespace, type, until: from + buckets * bucketMs }, namespace);
    const counting = madeAhead(schedules, { from, bucketMs, buckets });
    for (;;) {
      const { done, value } = counting.next();
      if (done) return value;
      if (turns.isOver()) await turns.next();
    }
  }

  async wheel(owners: SlotOwners): Promise<WheelReading> {
    const count = async (): Promise<WheelReading> => (await this.read(tasksByOwner, owners, null))[0]!;
    return this.answer(["wheel", owners.viewNumber], count);
  }

  async pace(): Promise<Pace> {
    return this.answer(["pace"], async () => (await this.read(tallyPace, {}, null))[0]!);
  }

  async tabs(namespace: string): Promise<TabCounts> {
    const count = async (): Promise<TabCounts> => (await this.read(countTabs, { namespace }, namespace))[0]!;
    return this.options.asOf ? count() : this.keptTabs.get(namespace, count);
  }

  async storeSettings(): Promise<StoreSettings> {
    return (await this.read(readSettings, {}, null))[0]!;
  }

  async snapshotHolders(): Promise<SnapshotReading> {
    const rows = await this.read(snapshotHolders, {}, null);
    const { at, deadRows } = rows[0]!;
    return { at, deadRows, holders: rows.flatMap(({ holder }) => holder ?? []) };
  }

  /** A namespace of null stands for the whole cluster. */
  private read<Parameters extends object, Row>(
    statement: Statement<Parameters & { asOf: EpochMs | null }, Row>,
    parameters: Parameters,
    namespace: string | null,
  ): Promise<Row[]> {
    const asOf = this.options.asOf?.() ?? null;
    return this.reads.of(namespace).run(statement, { ...parameters, asOf }, { statementTimeoutMs: FIGURES_TIMEOUT_MS });
  }

  /** No kept answer was counted at a test's own instant, so a test gets a count of its own. */
  private async answer<Answer>(name: readonly unknown[], count: () => Promise<Answer>): Promise<Answer> {
    if (this.options.asOf) return count();
    return (await this.kept.get(JSON.stringify(name), count)) as Answer;
  }
}
