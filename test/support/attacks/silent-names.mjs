// `node silent-names.mjs <name server> <count>`: delivers webhooks of one namespace to this many names without an
// answer. Beside them it delivers to two hosts of another namespace, one found by the name server and one by the
// system, and looks up a name as any other part of the process does. It prints as JSON the results of these three, and
// how many of the silent look-ups were still running then. It closes, and must end by itself.
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer } from "node:http";
import { SystemClock } from "@tickwheel/core";
import { AllowedHosts, WebhookExecutor } from "@tickwheel/executors";

/** The receiver is on loopback, whatever its name is. */
class AnyHost extends AllowedHosts {
  permits() {
    return true;
  }

  mayReach() {
    return true;
  }
}

const [nameServer, count] = process.argv.slice(2);
const receiver = createServer((_request, response) => response.end('"delivered"')).listen(0, "127.0.0.1");
await once(receiver, "listening");
const { port } = receiver.address();
const options = { hosts: new AnyHost([]), nameServers: [nameServer] };
const executor = new WebhookExecutor(options, new SystemClock());

function deliver(namespace, name) {
  return executor.run({
    type: { id: 1, namespace, type: "order", delivery: "webhook" },
    task: { id: name, payload: "{}", delivery: { kind: "webhook", url: `http://${name}:${port}/`, headers: {} } },
    startedAt: 0,
    signal: new AbortController().signal,
  });
}

const silent = Array.from({ length: Number(count) }, (_, index) => deliver("loud", `silent-${index}.example`));
let silentLeft = silent.length;
for (const delivery of silent) void delivery.finally(() => silentLeft--);
const told = await Promise.all(
  [deliver("quiet", "hook.example"), deliver("quiet", "localhost"), lookup("localhost", { family: 4 })].map((one) =>
    one.then((result) => ({ ...result, silentLeft })),
  ),
);
console.log(JSON.stringify(told));
executor.close();
receiver.close();
receiver.closeAllConnections();
