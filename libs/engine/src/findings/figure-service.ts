import type { EpochMs, FigureStore, FindingReport, TypeFiguresReading } from "@tickwheel/core";

export interface FigureServiceParts {
  findings: { report(): Promise<FindingReport> };
  /** Null: this node cannot count anything. */
  figures: FigureStore | null;
  /** The estimated database time. */
  nowMs(): EpochMs;
}

/** What people want to see of a cluster: what is the matter, and figures. All of it is read; nothing is decided by it. */
export class FigureService {
  constructor(private readonly parts: FigureServiceParts) {}

  /** What is the matter with the cluster, and what was within the last day. Answers without Postgres, too. */
  findings(): Promise<FindingReport> {
    return this.parts.findings.report();
  }

  /** Every type of a namespace in numbers, about a second old; older where counting is dear. */
  async types(namespace: string): Promise<TypeFiguresReading> {
    return (await this.parts.figures?.types(namespace)) ?? { countedAt: this.parts.nowMs(), types: [] };
  }
}
