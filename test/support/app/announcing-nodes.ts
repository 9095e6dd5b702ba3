import type { Type } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import type { TaskType } from "@tickwheel/core";
import { DelayTaskModule } from "@tickwheel/nestjs";
import { openPostgres } from "@tickwheel/postgres-store";
import { newTestKey } from "../cluster.js";
import { eventually } from "../eventually.js";
import { type HostedApi, hostApi } from "./hosted-api.js";

/** Two nodes on one database. */
export interface AnnouncingNodes {
  /** It has the handlers and their definitions. */
  owner: HostedApi;
  /** It has neither, and knows what the other one announces. */
  stranger: HostedApi;
}

/**
 * Starts a node with handlers, and one without them when the first has announced what their payloads must be.
 *
 * @param expectAnnounced throws while that is not so
 */
export async function announcingNodes(
  url: string,
  handlers: Type,
  expectAnnounced: (types: readonly TaskType[]) => void,
): Promise<AnnouncingNodes> {
  const key = newTestKey();
  const open = (engine: boolean): Promise<HostedApi> =>
    hostApi(
      {
        imports: [
          DelayTaskApiModule.forRoot({ notice: false }),
          DelayTaskModule.forRoot({ url, redis: null, heartbeat: "loop", engine }),
        ],
        providers: engine ? [handlers] : [],
      },
      key,
    );
  const owner = await open(true);
  try {
    const stores = openPostgres({ url, size: 1 });
    try {
      await eventually(async () => expectAnnounced(await stores.tasks.listTypes()));
    } finally {
      await stores.close();
    }
    return { owner, stranger: await open(false) };
  } catch (error) {
    await owner.app.close();
    throw error;
  }
}
