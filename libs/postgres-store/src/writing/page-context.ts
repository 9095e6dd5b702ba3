import type { Clock, EpochMs, Random } from "@tickwheel/core";
import type { Session } from "../connection/session.js";

/** What a page is made with. */
export interface PageContext {
  /** The session of the page's transaction. */
  session: Session;
  clock: Pick<Clock, "monotonicMs">;
  random: Random;
  asOf: EpochMs | null;
  /** The label of the node that makes it. */
  label: string;
  /** Most tasks of a page. */
  pageSize: number;
}
