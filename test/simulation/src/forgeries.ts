import { HostileMessages, type Overheard } from "@tickwheel/simulation";
import { SeededRandom } from "@tickwheel/testing";
import type { World } from "./world.js";

/** One of this many forgeries is a node's beat. */
const BEAT_SHARE = 0.1;

/**
 * A stranger sends messages as nodes do, over NOTIFY and Redis, this often a second, and writes forged beats under the
 * nodes' names. It knows all ids. Returns a function that ends it.
 */
export function forge(world: World, perSecond: number): () => void {
  const random = new SeededRandom(world.plan.seed ^ 0x7f4a7c15);
  const hostile = new HostileMessages(random);
  let timer = world.time.setTimer(0, speak);

  function speak(): void {
    if (random.next() < BEAT_SHARE) forgeBeat(world, random);
    else say(world, hostile.next(overheard(world)));
    timer = world.time.setTimer((2_000 / perSecond) * random.next(), speak);
  }

  /** To all nodes, over NOTIFY or Redis. */
  function say({ redis, notify, plan }: World, message: unknown): void {
    if (plan.coordination === "redis" && random.next() < 0.5) redis.say("all", message);
    else notify.say("all", message);
  }

  return () => timer.clear();
}

function overheard({ database }: World): Overheard {
  const { tasks, types } = database.tables;
  return {
    taskIds: [...tasks.values()].flatMap(({ committed }) => (committed ? [committed.id] : [])).slice(-8),
    typeIds: [...types.values()].flatMap(({ committed }) => (committed ? [committed.id] : [])),
    nowMs: database.now(),
  };
}

/** A beat far ahead of the node's own, or one that says in its name that it leaves. */
function forgeBeat({ redis }: World, random: SeededRandom): void {
  const announced = [...redis.announced().values()];
  const victim = announced[Math.floor(random.next() * announced.length)];
  if (!victim) return;
  const { bootId, label, vitals } = victim;
  redis.overwrite({
    bootId,
    label,
    beat: victim.beat + Math.floor(random.next() * 1_000_000),
    vitals: { ...vitals, view: 1_000_000, leaving: random.next() < 0.3 },
  });
}
