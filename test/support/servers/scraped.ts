import { HUNG_MS } from "../eventually.js";

/**
 * The values of a metric at a node's `/metrics`, by their labels as they are written: `{part="redis"}`, or empty.
 *
 * @throws Error where the node does not answer 200
 */
export async function scraped(node: { url: string }, key: string, name: string): Promise<Map<string, number>> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${node.url}/metrics`, { headers, signal: AbortSignal.timeout(HUNG_MS) });
  if (answer.status !== 200) throw new Error(`GET /metrics answered ${answer.status}`);
  const lines = (await answer.text()).split("\n").filter((line) => /^[{ ]/.test(line.slice(name.length)));
  const ofMetric = lines.filter((line) => line.startsWith(name));
  return new Map(
    ofMetric.map((line) => [line.slice(name.length, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}
