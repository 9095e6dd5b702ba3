import type { ClusterReport, GoneNode, NodeReport, ServiceStats } from "@tickwheel/engine";

/** `GET /cluster` as a client sees it. */
export type ClusterReportView = Omit<ClusterReport, "degraded" | "nodes" | "gone"> & {
  degraded: { part: string; since: string; detail: string }[];
  nodes: NodeView[];
  gone: GoneNodeView[] | null;
};

/** A node that is gone, as a client sees it. */
export type GoneNodeView = Omit<GoneNode, "at" | "lastBeatAt"> & { at: string; lastBeatAt: string | null };

/** A node as a client sees it. */
export type NodeView = Omit<NodeReport, "typeIds" | "joinedAt"> & { joinedAt: string };

/** `GET /stats` as a client sees it. */
export type StatsView = Omit<ServiceStats, "countedAt"> & { countedAt: string };

export function toClusterView(report: ClusterReport): ClusterReportView {
  const degraded = report.degraded.map((part) => ({ ...part, since: new Date(part.since).toISOString() }));
  const nodes = report.nodes.map(({ typeIds: _typeIds, joinedAt, ...node }) => ({
    ...node,
    joinedAt: new Date(joinedAt).toISOString(),
  }));
  const gone = report.gone?.map((node) => ({
    ...node,
    at: new Date(node.at).toISOString(),
    lastBeatAt: node.lastBeatAt === null ? null : new Date(node.lastBeatAt).toISOString(),
  }));
  return { ...report, degraded, nodes, gone: gone ?? null };
}

export function toStatsView(stats: ServiceStats): StatsView {
  return { ...stats, countedAt: new Date(stats.countedAt).toISOString() };
}
