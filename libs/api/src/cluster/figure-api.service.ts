import { Inject, Injectable } from "@nestjs/common";
import type { ApiKey } from "@tickwheel/core";
import { DelayTaskNode } from "@tickwheel/nestjs";
import { QueryReader } from "../tasks/query-reader.js";
import { type FindingReportView, toFindingReport } from "./finding-view.js";
import { toTypePage, type TypePageView } from "./type-view.js";

type Query = Readonly<Record<string, unknown>>;

/** Findings and figures, as REST and the stream tell them. Everything is of the key's namespace, or of the cluster. */
@Injectable()
export class FigureApiService {
  constructor(@Inject(DelayTaskNode) private readonly node: DelayTaskNode) {}

  /** Answers while Postgres is away, too. */
  async findings(key: ApiKey): Promise<FindingReportView> {
    return toFindingReport(await this.node.figures.findings(), key);
  }

  /** @throws TickwheelError `VALIDATION_FAILED` with every fault of the query */
  async types(key: ApiKey, query: Query = {}): Promise<TypePageView> {
    const reader = new QueryReader(query);
    const page = { limit: reader.limit("limit"), after: reader.place("cursor") ?? 0 };
    reader.finish();
    const { service, figures } = this.node;
    const [reading, cluster] = await Promise.all([figures.types(key.namespace), service.cluster()]);
    return toTypePage(reading, { cluster, isShownNodes: key.cluster, page });
  }
}
