import type { Clock, EpochMs, FigureStore, TypeFiguresReading } from "@tickwheel/core";
import { KeptAnswers } from "../reading/kept-answers.js";
import type { ReadPool } from "../connection/read-pool.js";
import { typeFigures } from "../statements/read/type-figures.js";

const FIGURES_TIMEOUT_MS = 10_000;

/** Figures for people, counted on the connections for reads, at a bounded share of one of them. */
export class PostgresFigureStore implements FigureStore {
  private readonly kept: KeptAnswers<TypeFiguresReading>;

  constructor(
    private readonly reads: Pick<ReadPool, "run">,
    private readonly options: { clock: Pick<Clock, "monotonicMs">; asOf?: () => EpochMs },
  ) {
    this.kept = new KeptAnswers(options.clock);
  }

  types(namespace: string | null): Promise<TypeFiguresReading> {
    const asOf = this.options.asOf?.() ?? null;
    const count = async (): Promise<TypeFiguresReading> => {
      const limits = { statementTimeoutMs: FIGURES_TIMEOUT_MS };
      const rows = await this.reads.run(typeFigures, { namespace, asOf }, limits);
      return { countedAt: rows[0]!.countedAt, types: rows.flatMap(({ figures }) => figures ?? []) };
    };
    // No kept answer was counted at a test's own instant.
    return asOf === null ? this.kept.get(`types ${namespace ?? ""}`, count) : count();
  }
}
