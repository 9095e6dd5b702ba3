// Runs eight attackers at once, until the process is ended. At SIGUSR2 it prints their answers as one line of JSON. It
// runs at the lowest priority, so that tests measure what the node does with the requests, and not what making them
// costs. Its argument is JSON: `url` of the node, keys `viewer` and `operator` of a namespace of their own,
// `silentPort` and `failingPort`, on which it receives webhooks.
import { Agent, createServer, request } from "node:http";
import { connect } from "node:net";
import { setPriority } from "node:os";

setPriority(19);
const { url, viewer, operator, silentPort, failingPort } = JSON.parse(process.argv[2]);
const { hostname, port } = new URL(url);
const MEBIBYTE = 1024 * 1024;
/** The number of requests that are sent at once by an attacker that reads nothing. */
const UNREAD_ASKS = 1_000;
const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
const tallies = {};
process.on("SIGUSR2", () => console.log(JSON.stringify(tallies)));

function count(name, outcome) {
  const tally = (tallies[name] ??= {});
  tally[outcome] = (tally[outcome] ?? 0) + 1;
}

/** One request; resolves with the status of its answer, which is not read, or `cut off`. */
function send({ method = "POST", path, key, body = "", trickleMs }) {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) };
    const call = request({ hostname, port, method, path, headers, agent });
    let trickle;
    const end = (outcome) => {
      clearInterval(trickle);
      call.destroy();
      resolve(outcome);
    };
    call.on("response", (response) => end(response.resume().on("error", () => undefined).statusCode));
    call.on("error", () => end("cut off")).on("close", () => end("cut off"));
    if (body.length > 0) call.write(body);
    if (trickleMs) trickle = setInterval(() => call.write(" "), trickleMs);
    else call.end();
  });
}

/** Repeats the same request, this many at once. */
function attack(name, atOnce, requests) {
  let sent = 0;
  const goOn = async () => {
    for (;;) {
      const next = requests[sent++ % requests.length];
      count(name, await send(typeof next === "function" ? next() : next));
    }
  };
  for (let place = 0; place < atOnce; place++) void goOn();
}

/** Asks on one connection for as much as it takes, and reads nothing. That it was cut off shows when more is asked. */
function askWithoutReading(name) {
  const ask = `GET /v1/tasks?limit=200&type=page HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${viewer}\r\n\r\n`;
  const socket = connect(port, hostname).pause();
  socket.write(ask.repeat(UNREAD_ASKS));
  const more = setInterval(() => socket.write(ask), 100);
  socket
    .on("error", () => undefined)
    .on("close", () => {
      clearInterval(more);
      count(name, "cut off");
      setTimeout(() => askWithoutReading(name), 1_000);
    });
}

const json = (path, value, key = operator) => ({ path, key, body: JSON.stringify(value) });
const bulk = (number, item) => json("/v1/tasks/bulk", { tasks: Array.from({ length: number }, item) });
const unknownFields = Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`unknown field ${index}`, 1]));
const mutation = "mutation ($input: TaskInput!) { scheduleTask(input: $input) { outcome } }";
const manyUses = `mutation ($v: JSON) { scheduleTask(input: { type: "a", payload: [${Array(560).fill("$v").join(" ")}] }) { outcome } }`;
const hook = (hostPort) => ({
  type: `hook.${hostPort}`,
  delay: 0,
  timeout: "1m",
  maxAttempts: 1_000,
  backoff: { kind: "fixed", delay: 0 },
  deliver: { kind: "webhook", url: `http://127.0.0.1:${hostPort}/` },
});

const manyObjects = Buffer.from(`[${"{},".repeat((16 * MEBIBYTE) / 3)}`);
const manyLevels = Buffer.alloc(16 * MEBIBYTE, "[");

function attackWithoutKey() {
  attack("bodies of 16 MiB without a key", 12, [
    { path: "/v1/tasks", body: manyObjects },
    { path: "/v1/tasks/bulk", body: manyLevels },
    { path: "/graphql", body: manyLevels },
  ]);
  attack("bodies without an end", 60, [{ path: "/v1/tasks/bulk", body: Buffer.alloc(65_536, "x"), trickleMs: 50 }]);
  attack("made-up keys", 400, [
    () => ({ method: "GET", path: "/v1/tasks?limit=1", key: `made-up-${Math.random()}-${"x".repeat(32)}` }),
  ]);
}

async function attackByViewer() {
  attack("one variable of GraphQL, used often or full of unknown fields", 4, [
    json("/graphql", { query: manyUses, variables: { v: "x".repeat(900_000) } }, viewer),
    json("/graphql", { query: mutation, variables: { input: { type: "a", ...unknownFields } } }, viewer),
  ]);
  const name = "answers that nobody reads";
  // This few tasks fill a page.
  await send(bulk(50, () => ({ type: "page", delay: "1d", payload: "x".repeat(60_000) })));
  for (let socket = 0; socket < 10; socket++) askWithoutReading(name);
}

function attackByOperator() {
  const keyed = (onConflict) => () => bulk(3_000, () => ({ type: "bulk", key: "one", onConflict, delay: "1h" }));
  attack("whole bulks of one key", 8, [keyed("refresh"), keyed("replace")]);
  attack("deep and manifold bodies", 4, [
    { path: "/v1/tasks", key: operator, body: manyObjects.subarray(0, MEBIBYTE - 1) },
    { path: "/graphql", key: viewer, body: manyLevels.subarray(0, MEBIBYTE) },
  ]);
  attack("webhooks to hosts that are dead or fail", 1, [
    () => bulk(150, () => hook(silentPort)),
    () => bulk(150, () => hook(failingPort)),
  ]);
}

createServer().listen(silentPort, "127.0.0.1");
createServer((call, response) => {
  count("webhooks that fail", "received");
  call.resume();
  response.writeHead(500).end();
}).listen(failingPort, "127.0.0.1");
attackWithoutKey();
await attackByViewer();
attackByOperator();
