import { Inject, Injectable } from "@nestjs/common";
import { eventQuery, forecastQuery, historyQuery, readQuery, typesQuery } from "@tickwheel/contract/operations";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { type ApiKey, type ClusterEventQuery, isBootId, shownText, TickwheelError } from "@tickwheel/core";
import { type ClusterEventPageView, toEventPage } from "./event-view.js";
import { API_NODE } from "../keys/api-node.js";
import { type FindingReportView, toFindingReport } from "./finding-view.js";
import {
  type ForecastView,
  type HistoryView,
  type TabCountsView,
  toForecastView,
  toHistoryView,
  toTabCountsView,
} from "./figure-views.js";
import { toTypePayload, type TypePayloadView } from "./type-payload-view.js";
import { toTypePage, type TypePageView } from "./type-view.js";
import { type ClusterWheelView, toWheelView } from "./wheel-view.js";

type Query = Readonly<Record<string, unknown>>;

/** Findings and figures, as REST and the stream tell them. Everything is of the key's namespace, or of the cluster. */
@Injectable()
export class FigureApiService {
  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {}

  /** Answers while Postgres is away, too. */
  async findings(apiKey: ApiKey): Promise<FindingReportView> {
    return toFindingReport(await this.node.figures.findings(), apiKey);
  }

  /** @throws TickwheelError `VALIDATION_FAILED` with every fault of the query */
  async types(apiKey: ApiKey, query: Query = {}): Promise<TypePageView> {
    const { limit, cursor: after = 0 } = readQuery(typesQuery, query);
    const { service, figures } = this.node;
    const [reading, cluster] = await Promise.all([figures.types(apiKey.namespace), service.cluster()]);
    return toTypePage(reading, { cluster, isShownNodes: apiKey.cluster, page: { limit, after } });
  }

  /**
   * From what this node has read of announcements and what it runs itself; the store is asked for the name of a type
   * that this node does not know.
   *
   * @throws TickwheelError `TYPE_NOT_FOUND`
   */
  async typePayload({ namespace }: ApiKey, type: string): Promise<TypePayloadView> {
    if (!(await this.node.service.knowsType({ namespace, type })))
      throw new TickwheelError("TYPE_NOT_FOUND", `There is no type ${shownText(type)}.`);
    return toTypePayload(type, this.node.payloads.shown({ namespace, type }));
  }

  /** How many tasks each tab has, at most ten seconds old. */
  async tabs(apiKey: ApiKey): Promise<TabCountsView> {
    return toTabCountsView(await this.node.figures.tabs(apiKey.namespace));
  }

  /** @throws TickwheelError `VALIDATION_FAILED` with every fault of the query */
  async clusterEvents(query: Query = {}): Promise<ClusterEventPageView> {
    const { kind: kinds, node, cursor: after, ...asked } = readQuery(eventQuery, query);
    return toEventPage(await this.node.figures.clusterEvents({ ...asked, kinds, node: nodeOf(node), after }));
  }

  /** The minute to come of all namespaces, and each node's share of it. */
  async clusterWheel(): Promise<ClusterWheelView> {
    return toWheelView(await this.node.figures.clusterWheel());
  }

  /** @throws TickwheelError `VALIDATION_FAILED` with every fault of the query */
  async history(apiKey: ApiKey, query: Query = {}): Promise<HistoryView> {
    const asked = readQuery(historyQuery, query);
    return toHistoryView(await this.node.figures.history({ namespace: apiKey.namespace, ...asked }), asked);
  }

  /** @throws TickwheelError `VALIDATION_FAILED` with every fault of the query */
  async forecast(apiKey: ApiKey, query: Query = {}): Promise<ForecastView> {
    const asked = readQuery(forecastQuery, query);
    const forecast = await this.node.figures.forecast({ namespace: apiKey.namespace, ...asked });
    return toForecastView(apiKey.cluster ? forecast : { ...forecast, ...UNTOLD_CAPACITY }, asked);
  }
}

/** What a key without the right `cluster` is told of what the cluster can do. */
const UNTOLD_CAPACITY = { capacity: { perSecond: null, measured: false }, over: null };

/** A node by its boot id or by its label. */
function nodeOf(text: string | undefined): ClusterEventQuery["node"] {
  if (text === undefined) return undefined;
  return isBootId(text) ? { bootId: text } : { label: text };
}
