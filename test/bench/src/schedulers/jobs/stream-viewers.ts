import { get, type IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { BENCH_API_KEY } from "../contestants/contestant.js";
import { cpuSince, type Stage } from "../stage.js";

/** All that the page reads. */
const TOPICS = "findings,cluster,stats,types,wheel,history";

/**
 * What viewers of a stream cost an idle node, beside the same time without them: percent of a core, of the node's
 * process and of Postgres and Redis.
 */
export async function streamFigures(
  stage: Stage,
  { port, viewers, durationMs }: { port: number; viewers: number; durationMs: number },
): Promise<Record<string, number>> {
  const alone = await cpuPercent(stage, durationMs);
  const streams = await Promise.all(Array.from({ length: viewers }, () => openStream(port)));
  // The first answers of all topics are dearer than the later ones.
  await wait(durationMs / 10);
  const beside = await cpuPercent(stage, durationMs);
  const bytes = streams.reduce((sum, { read }) => sum + read(), 0);
  for (const { close } of streams) close();
  return {
    streamNodePercent: beside.node - alone.node,
    streamServersPercent: beside.servers - alone.servers,
    idleNodePercent: alone.node,
    streamBytesPerSecond: bytes / viewers / ((durationMs * 1.1) / 1_000),
  };
}

async function cpuPercent(stage: Stage, durationMs: number): Promise<{ node: number; servers: number }> {
  const before = stage.cpu();
  await wait(durationMs);
  const { contestant, postgres, redis } = cpuSince(before, stage.cpu());
  const percent = (seconds: number): number => (seconds / (durationMs / 1_000)) * 100;
  return { node: percent(contestant), servers: percent(postgres + redis) };
}

/** A viewer: it reads all that comes. */
async function openStream(port: number): Promise<{ read: () => number; close: () => void }> {
  const url = `http://127.0.0.1:${port}/v1/stream?topics=${TOPICS}`;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: { authorization: `Bearer ${BENCH_API_KEY}` }, agent: false }, resolve).on("error", reject);
  });
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode} to ${url}`);
  let bytes = 0;
  response.on("data", (data: Buffer) => (bytes += data.length));
  return { read: () => bytes, close: () => void response.destroy() };
}
