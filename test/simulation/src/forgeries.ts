import { HostileMessages, type Overheard } from "@tickwheel/simulation";
import { SeededRandom } from "@tickwheel/testing";
import type { World } from "./world.js";

/** Of so many forgeries one is a node's beat. */
const BEAT_SHARE = 0.1;

/**
 * Somebody speaks where the nodes speak to each other, so often a second, over NOTIFY and Redis, and writes beats of
 * his own under the nodes' names. He knows all ids. Returns what ends it.
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

  /** To everybody, over either. */
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

/** Far ahead of what the node itself says, or in its name that it leaves. */
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
