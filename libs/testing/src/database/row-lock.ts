/** How strongly a transaction holds a row, as Postgres names it. */
export type LockMode = "key-share" | "share" | "no-key-update" | "update";

/**
 * The modes of other transactions that conflict with each mode. An UPDATE of columns that no foreign key needs takes
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

/** The stronger mode of two. A transaction that has asked for both holds this one. */
export function stronger(one: LockMode | undefined, other: LockMode): LockMode {
  return one !== undefined && STRENGTH.indexOf(one) > STRENGTH.indexOf(other) ? one : other;
}
