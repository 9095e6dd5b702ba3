import { SystemClock } from "@tickwheel/core";
import {
  type NodeGround,
  type NodeStores,
  openStores,
  type ResolvedDelayTaskOptions,
  schemaMigration,
} from "@tickwheel/nestjs/internals";
import { TestSchema } from "@tickwheel/postgres-store";
import { MemoryBus } from "../stores/memory-coordination.js";
import { SeededRandom } from "../system/seeded-random.js";
import type { GroundParts } from "./memory-ground.js";

/**
 * The ground of a node on a real Postgres, whose statements take the test's time for now. Its schema is empty at first,
 * and nobody else's until the node is closed.
 *
 * @param wanted the schema; default: one that is free
 * @throws TickwheelError as {@link TestSchema}, and as a migration does
 */
export async function postgresGround(
  given: ResolvedDelayTaskOptions,
  parts: GroundParts,
  wanted: string | undefined,
): Promise<{ options: ResolvedDelayTaskOptions; ground: NodeGround }> {
  const schema = await TestSchema.take(given.connection, wanted);
  const options = { ...given, schema: schema.name };
  try {
    return { options, ground: await groundIn(schema, options, parts) };
  } catch (error) {
    await schema.release();
    throw error;
  }
}

async function groundIn(
  schema: TestSchema,
  options: ResolvedDelayTaskOptions,
  { clock, epochMs, seed, telemetry, traffic, drive }: GroundParts,
): Promise<NodeGround> {
  // A migration waits for others by the real clock: the test's stands still.
  const migration = schemaMigration(options, { telemetry, clock: new SystemClock() });
  await migration.run();
  const stores = openStores(options, () => Math.floor(epochMs + clock.monotonicMs()));
  const counted: NodeStores = {
    ...traffic.through(stores),
    close: async () => {
      await stores.close();
      await schema.release();
    },
  };
  return {
    clock,
    telemetry,
    drive,
    standsStill: true,
    random: new SeededRandom(seed),
    stores: counted,
    schema: migration,
    coordination: new MemoryBus({ clock }).attach(),
  };
}
