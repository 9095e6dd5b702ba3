import type { AnnouncedPolicy, BootId, DeadLetterStore, Leadership, PolicyStore, Service } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import type { SettingsInForce } from "../types/settings-in-force.js";
import { DeadLetterFolder } from "./dead-letter-folder.js";
import { EndedTaskKeeper } from "./ended-task-keeper.js";
import { Archiver, PartitionKeeper } from "./housekeeper.js";
import { PolicyKeeper } from "./policy-keeper.js";
import { TallyFolder } from "./tally-keeper.js";

interface HousekeeperParts {
  /** Absent: policies are not announced. */
  store: PolicyStore | undefined;
  /** Absent: dead tasks are not counted by cause. */
  deadLetters: DeadLetterStore | undefined;
  /** This node in the cluster. `bootId` null: it is no member just now. */
  member: { readonly bootId: BootId | null; leadership(): Leadership | null };
  /** What this node's handlers want for their types. */
  policies: () => AnnouncedPolicy[];
  inForce: Pick<SettingsInForce, "settings">;
}

/** What a node does on the side. */
export function housekeepersOf(context: EngineContext, parts: HousekeeperParts): Service[] {
  const { store, deadLetters, member, policies, inForce } = parts;
  return [
    new Archiver(context),
    new PartitionKeeper(context),
    new TallyFolder(context),
    new EndedTaskKeeper(context, { member, inForce }),
    ...(deadLetters ? [new DeadLetterFolder(context, deadLetters)] : []),
    ...(store ? [new PolicyKeeper(context, { store, member, policies })] : []),
  ];
}
