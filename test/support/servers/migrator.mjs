// Migrates in a process of its own, for tests that kill it, and prints each event as a line of JSON. Its options are
// JSON in TEST_MIGRATOR: the database's `url`; `migrations` after the first schema, default those of this release;
// `died`, the statements in which earlier runs have died: it kills itself when it sends the first statement that is not
// in this list; without a list it lives.
import { writeSync } from "node:fs";
import { migrate } from "@tickwheel/postgres-store";
import pg from "pg";

const { url, died, migrations } = JSON.parse(process.env.TEST_MIGRATOR);
const STDOUT = 1;

/** Writes at once, because a buffer would be lost with the process. */
function tell(line) {
  writeSync(STDOUT, `${JSON.stringify(line)}\n`);
}

/** What a statement changes, the same on every day and for every boot of the server; null: nothing. */
function changeOf(sql) {
  const text = sql.trim().replaceAll(/\s+/g, " ");
  if (!/^(CREATE|ALTER|DROP|INSERT|UPDATE|DELETE|LOCK)\b/i.test(text)) return null;
  return text
    .replaceAll(/_\d{8}/g, "_day")
    .replaceAll(/'\d{4}-\d{2}-\d{2}/g, "'day")
    .slice(0, 200);
}

let last = "";
function dieIn(statement) {
  const change = changeOf(statement);
  last = change ?? last;
  const place = change ?? (statement === "COMMIT" ? `COMMIT after ${last}` : null);
  if (place === null || died.includes(place)) return;
  tell({ died: place });
  process.kill(process.pid, "SIGKILL");
}

if (died) {
  const query = Reflect.get(pg.Client.prototype, "query");
  pg.Client.prototype.query = function queryAndDie(...values) {
    const answer = query.apply(this, values);
    if (typeof values[0] === "string") dieIn(values[0]);
    return answer;
  };
}

const telemetry = { emit: ({ name, message, facts }) => tell({ name, message, facts }) };
const ran = await migrate(url, { ...(migrations && { migrations }), telemetry });
tell({ ran });
