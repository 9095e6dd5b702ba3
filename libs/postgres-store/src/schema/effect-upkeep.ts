import type { EpochMs, Retention } from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import { type EffectPlace, forgetReports, forgetSteps } from "../statements/upkeep/forget-effects.js";
import { lockMaintenance } from "../statements/upkeep/lock-maintenance.js";

/** Rows that one transaction looks at: each costs a probe of every partition of history. */
const PAGE = 200;
/** Most pages of one call and table, so that it ends. */
const MAX_PAGES = 100;

type Upkeep = Retention & { asOf: EpochMs | null };

/**
 * Deletes what handlers left behind of tasks that are gone, page by page, oldest first. What a page leaves belongs to
 * tasks that are still kept; so a call goes on where the last one ended, and begins anew once it has reached the end.
 */
export class EffectUpkeep {
  private readonly tables: readonly { statement: typeof forgetSteps; after: EffectPlace | null }[] = [
    { statement: forgetSteps, after: null },
    { statement: forgetReports, after: null },
  ];

  constructor(private readonly database: PostgresDatabase) {}

  /** Answers whether there is more to look at now. */
  async forget(upkeep: Upkeep): Promise<boolean> {
    for (const table of this.tables) {
      for (let page = 0; page < MAX_PAGES; page++) {
        table.after = await this.forgetPage(table, upkeep);
        if (table.after === null) break;
      }
    }
    return this.tables.some(({ after }) => after !== null);
  }

  /** Where the page ended; null: there is no further one. */
  private async forgetPage(
    { statement, after }: { statement: typeof forgetSteps; after: EffectPlace | null },
    upkeep: Upkeep,
  ): Promise<EffectPlace | null> {
    return this.database.transaction(async (session) => {
      const [locked] = await session.run(lockMaintenance, null);
      if (!locked) return null;
      const [page] = await session.run(statement, { ...upkeep, after, limit: PAGE });
      return page === undefined || page.looked < PAGE ? null : page.last;
    });
  }
}
