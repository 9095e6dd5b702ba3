/** The version of a payload whose creator knew none. */
export const NO_VERSION = 0;
/** The greatest version of a payload. */
export const MAX_PAYLOAD_VERSION = 32_767;

/** Whether it can be the version of a definition's payload. */
export function isPayloadVersion(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_PAYLOAD_VERSION;
}

/** The versions that meet when a task runs: of its payload, and of the handler's definition. Null: none. */
export interface MeetingVersions {
  stored: number | null;
  known: number | null;
}

/** Whether a definition's `upgrade` is asked before its schema. */
export function isToLift({ stored, known }: MeetingVersions): boolean {
  return (stored ?? NO_VERSION) < (known ?? NO_VERSION);
}

/**
 * Whether another node may know what to do with a payload that does not fit here: it is of a newer version than this
 * handler's.
 */
export function isOfNewer({ stored, known }: MeetingVersions): boolean {
  return (stored ?? NO_VERSION) > (known ?? NO_VERSION);
}

/** The version that is stored with a payload: of the definition that its creator has, else of the announced one. */
export function versionToStore(definition: number | null | undefined, announced: number | null | undefined) {
  return definition === undefined ? (announced ?? null) : definition;
}
