import { defineTask } from "@tickwheel/nestjs";

/** Whom to remind of which release. */
export interface ReleaseReminder {
  /** Such as `2.4.0`. */
  version: string;
  email: string;
}

/** Asks by mail how a release does. The task's key is the version and the address. */
export const RemindOfRelease = defineTask<ReleaseReminder>("release.remind", { maxAttempts: 10, timeout: "30s" });

/** How long after a release. */
export const REMIND_AFTER = "7d";
