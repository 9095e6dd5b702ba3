/** How strongly a transaction holds a row, as Postgres names it. */
export type LockMode = "key-share" | "share" | "no-key-update" | "update";

/**
 * What each mode cannot stand beside, in another transaction. An UPDATE of columns that no foreign key needs takes
 * `no-key-update`.
 */
const CONFLICTS: Record<LockMode, readonly LockMode[]> = {
  "key-share": ["update"],
  share: ["no-key-update", "update"],
  "no-key-update": ["share", "no-key-update", "update"],
  update: ["key-share", "share", "no-key-update", "update"],
};

const STRENGTH: readonly LockMode[] = ["key-share", "share", "no-key-update", "update"];

export function conflict(one: LockMode, other: LockMode): boolean {
  return CONFLICTS[one].includes(other);
}

/** The stronger of the two: what a transaction holds that has asked for both. */
export function stronger(one: LockMode | undefined, other: LockMode): LockMode {
  return one !== undefined && STRENGTH.indexOf(one) > STRENGTH.indexOf(other) ? one : other;
}
