import type { AnnouncedPolicy, BootId, Leadership, PolicyStore, Service } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { Archiver, PartitionKeeper } from "./housekeeper.js";
import { PolicyKeeper } from "./policy-keeper.js";
import { TallyFolder } from "./tally-keeper.js";

interface HousekeeperParts {
  /** Absent: policies are not announced. */
  store: PolicyStore | undefined;
  /** This node in the cluster. `bootId` null: it is no member just now. */
  member: { readonly bootId: BootId | null; leadership(): Leadership | null };
  /** What this node's handlers want for their types. */
  policies: () => AnnouncedPolicy[];
}

/** What a node does on the side. */
export function housekeepersOf(context: EngineContext, { store, member, policies }: HousekeeperParts): Service[] {
  return [
    new Archiver(context),
    new PartitionKeeper(context),
    new TallyFolder(context),
    ...(store ? [new PolicyKeeper(context, { store, member, policies })] : []),
  ];
}
