import { Inject, Injectable } from "@nestjs/common";
import type { CLUSTER_OPERATIONS } from "@tickwheel/contract/operations";
import { SettingCalls } from "@tickwheel/calls";
import { type ClusterEventQuery, isBootId } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import type { Call, Calls } from "../calls/call.js";
import { API_NODE } from "../keys/api-node.js";
import { announcedOf, toTypeDetails, type TypeDetailsView } from "../settings/type-details-view.js";
import { type ClusterReportView, type StatsView, toClusterView, toStatsView } from "./cluster-view.js";
import { type ClusterEventPageView, toEventPage } from "./event-view.js";
import { type ForecastView, type HistoryView, toForecastView, toHistoryView } from "./figure-views.js";
import { type FindingReportView, toFindingReport } from "./finding-view.js";
import { toTypePage, type TypePageView } from "./type-view.js";
import { type ClusterWheelView, toWheelView } from "./wheel-view.js";

type Rows = (typeof CLUSTER_OPERATIONS)["rows"];
/** What a figure is asked by. */
type Asked<Name extends keyof Rows> = Pick<Call<Rows[Name]>, "apiKey" | "query">;

/**
 * The calls about the cluster and about figures, as REST, GraphQL and the stream share them. Everything is of the key's
 * namespace, or of the cluster.
 */
@Injectable()
export class ClusterApiService implements Calls<Rows> {
  private readonly settings: SettingCalls;

  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {
    this.settings = new SettingCalls(node);
  }

  async cluster(): Promise<ClusterReportView> {
    return toClusterView(await this.node.service.cluster());
  }

  async events({ query }: Pick<Call<Rows["events"]>, "query">): Promise<ClusterEventPageView> {
    const { kind: kinds, node, cursor: after, ...asked } = query;
    return toEventPage(await this.node.figures.clusterEvents({ ...asked, kinds, node: nodeOf(node), after }));
  }

  /** The minute to come of all namespaces, and each node's share of it. */
  async wheel(): Promise<ClusterWheelView> {
    return toWheelView(await this.node.figures.clusterWheel());
  }

  /** At most a second old. */
  async stats({ apiKey }: Pick<Call, "apiKey">): Promise<StatsView> {
    return toStatsView(await this.node.service.stats(apiKey.namespace));
  }

  /** Answers while Postgres is away, too. */
  async findings({ apiKey }: Pick<Call, "apiKey">): Promise<FindingReportView> {
    return toFindingReport(await this.node.figures.findings(), apiKey);
  }

  async types({ apiKey, query }: Asked<"types">): Promise<TypePageView> {
    const { type, limit, cursor: after = 0 } = query;
    const { service, figures } = this.node;
    const [reading, cluster] = await Promise.all([figures.types(apiKey.namespace), service.cluster()]);
    const standing = this.settings.standing();
    return toTypePage(reading, { cluster, standing, apiKey, type, page: { limit, after } });
  }

  /**
   * From what this node has read of announcements and settings and what it runs itself; the store is asked for the name
   * of a type that this node does not know.
   *
   * @throws TickwheelError `TYPE_NOT_FOUND`
   */
  async type({ apiKey, at: type }: Pick<Call, "apiKey" | "at">): Promise<TypeDetailsView> {
    const { namespace } = apiKey;
    const standing = await this.settings.typeStanding({ namespace }, type);
    return toTypeDetails(type, standing, announcedOf(this.node, { namespace, type }));
  }

  async history({ apiKey, query }: Asked<"history">): Promise<HistoryView> {
    return toHistoryView(await this.node.figures.history({ namespace: apiKey.namespace, ...query }), query);
  }

  async forecast({ apiKey, query }: Asked<"forecast">): Promise<ForecastView> {
    const forecast = await this.node.figures.forecast({ namespace: apiKey.namespace, ...query });
    return toForecastView(apiKey.cluster ? forecast : { ...forecast, ...UNTOLD_CAPACITY }, query);
  }
}

/** What a key without the right `cluster` is told of what the cluster can do. */
const UNTOLD_CAPACITY = { capacity: { perSecond: null, measured: false }, over: null };

/** A node by its boot id or by its label. */
function nodeOf(text: string | undefined): ClusterEventQuery["node"] {
  if (text === undefined) return undefined;
  return isBootId(text) ? { bootId: text } : { label: text };
}
