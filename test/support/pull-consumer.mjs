// A consumer of a pull queue, in a process of its own that a test kills: it fetches tasks of a type from any of some
// nodes, writes down what it does, works for a moment, sometimes for longer than its lease, and completes by any node.
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

const { urls, key, type, databaseUrl } = JSON.parse(process.argv[2]);
const LEASE_MS = 2_000;
const name = String(process.pid);
const database = new pg.Pool({ connectionString: databaseUrl, max: 2 });

const any = () => urls[Math.floor(Math.random() * urls.length)];

/** Null: no node answered, or it could not. */
async function post(path, body) {
  try {
    const response = await fetch(`${any()}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    const answer = { status: response.status, headers: response.headers, body: await response.json() };
    return response.status === 503 || response.status === 429 ? null : answer;
  } catch {
    return null;
  }
}

async function work({ token, leaseUntil, task: { id, fence } }) {
  await database.query("INSERT INTO pull_start (task_id, fence, consumer) VALUES ($1, $2, $3)", [id, fence, name]);
  await wait(Math.random() < 0.05 ? LEASE_MS * 2 : Math.random() * 200);
  const end = Date.parse(leaseUntil) + 4 * LEASE_MS;
  // A reply may be lost: the same again answers the same.
  for (let sent = 0; Date.now() < end; sent++) {
    const answer = await post(`/v1/claims/${token}/complete`, { result: name });
    if (answer === null) {
      await wait(100);
      continue;
    }
    const outcome = answer.status === 200 ? (answer.headers.get("tickwheel-replayed") ?? "first") : answer.body.code;
    const row = [id, fence, name, outcome, sent];
    await database.query(
      "INSERT INTO pull_end (task_id, fence, consumer, outcome, sent) VALUES ($1, $2, $3, $4, $5)",
      row,
    );
    return;
  }
}

for (;;) {
  const answer = await post(`/v1/queues/${type}/claims`, { max: 5, waitMs: 1_000, leaseMs: LEASE_MS, consumer: name });
  if (answer?.status === 200) await Promise.all(answer.body.claims.map(work));
  else await wait(100);
}
