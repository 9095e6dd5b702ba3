import type { ClusterNode } from "@tickwheel/coordination";

/** A node's place in the cluster, as its engine needs it. */
export type ClusterMember = Pick<
  ClusterNode,
  | ("bootId" | "beats" | "beatSoon" | "canDispatch" | "ownership" | "listen" | "leadership")
  | ("announceLeaving" | "startDraining")
>;

/** A member as a claiming node sees it: it may dispatch where `mayStart` says so too. */
export function workerOf(
  member: Pick<ClusterMember, "bootId">,
  mayStart: () => boolean,
): Pick<ClusterMember, "bootId" | "canDispatch"> {
  return {
    get bootId() {
      return member.bootId;
    },
    canDispatch: mayStart,
  };
}
