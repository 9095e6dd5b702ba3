import { computed, signal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import type { Findings } from "../api/asked.js";
import type { Finding } from "../api/wire.js";
import { api } from "../session/session.js";
import { storeAway } from "../session/store-health.js";
import { attention } from "./attention.js";
import { Poller } from "./poller.js";
import { topicPaths } from "./topics.js";
import { windowTimers } from "./use-polling.js";

const everyMs = 5_000;

const isAway = computed(() => storeAway.value !== null);

/** What the server says of Postgres while that is away; null: it has not said anything yet. */
export const awayFinding = signal<Finding | null>(null);

/**
 * While Postgres is away, asks each 5 s what the matter is, which needs no Postgres, and whether it is back. The
 * returned function ends it.
 */
export function watchStore(): () => void {
  const work = async (): Promise<undefined> => {
    if (storeAway.peek() === null) return void (awayFinding.value = null);
    const answer = (await api.topic(topicPaths.findings)) as Answer<Findings>;
    const findings = answer.ok ? answer.value.now : [];
    awayFinding.value = findings.find(({ code }) => code === "POSTGRES_AWAY") ?? null;
    // Where no page asks for anything, nobody else would notice that it is back. A list is never answered from memory.
    if (answer.ok) await api.tasks({});
    return undefined;
  };
  const poller = new Poller({ everyMs, work, visibility: attention, timers: windowTimers });
  poller.start();
  const unlink = isAway.subscribe(() => poller.wake());
  return () => {
    unlink();
    poller.stop();
  };
}
