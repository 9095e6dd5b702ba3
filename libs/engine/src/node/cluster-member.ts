import type { ClusterNode } from "@tickwheel/coordination";

/** A node's place in the cluster, as its engine needs it. */
export type ClusterMember = Pick<
  ClusterNode,
  ("bootId" | "beats" | "canDispatch" | "ownership" | "listen" | "leadership") | ("announceLeaving" | "startDraining")
>;
