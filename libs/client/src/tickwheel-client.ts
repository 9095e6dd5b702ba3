import { type Calls, ROWS } from "./calls.generated.js";
import type { CallOptions } from "./call-options.js";
import { type ConsumeOptions, Consumer, type PullHandler } from "./consumer.js";
import { Transport, type TransportOptions } from "./transport.js";

/** What a {@link TickwheelClient} is made of. */
export type TickwheelClientOptions = TransportOptions;

/**
 * All calls of the API, by what they are about, and a consumer of pull queues. It keeps no connection and no state: one
 * client serves a whole program, in Node, in a browser and on an edge runtime.
 *
 * A call that may be sent again is: after no answer, 429, 502, 503 and 504, as `Retry-After` says, else after a second,
 * doubled up to 30 s, ± 20 %, four times at most. A call that takes an idempotency key carries one, so that it is
 * done once. A call that is not safe to be sent again is sent again after 429 alone. What went wrong is a
 * {@link ClientError}.
 *
 * @example
 *   const client = new TickwheelClient({ url: "https://tasks.example.com", key: "tw_…" });
 *   const { id } = await client.tasks.create({ type: "order.cancel", delay: "15m", payload: { order: 42 } });
 */
export class TickwheelClient implements Calls {
  readonly tasks: Calls["tasks"];
  readonly schedules: Calls["schedules"];
  readonly batches: Calls["batches"];
  readonly queues: Calls["queues"];
  readonly operations: Calls["operations"];
  readonly deadLetters: Calls["deadLetters"];
  readonly settings: Calls["settings"];
  readonly cluster: Calls["cluster"];
  readonly apiKeys: Calls["apiKeys"];
  readonly sessions: Calls["sessions"];
  readonly session: Calls["session"];
  readonly health: Calls["health"];

  /** @throws TypeError when `url` is none */
  constructor(options: TickwheelClientOptions) {
    const transport = new Transport(options);
    const of = <Name extends keyof Calls>(name: Name): Calls[Name] => callsOf(transport, name);
    this.tasks = of("tasks");
    this.schedules = of("schedules");
    this.batches = of("batches");
    this.queues = of("queues");
    this.operations = of("operations");
    this.deadLetters = of("deadLetters");
    this.settings = of("settings");
    this.cluster = of("cluster");
    this.apiKeys = of("apiKeys");
    this.sessions = of("sessions");
    this.session = of("session");
    this.health = of("health");
  }

  /**
   * Works on the tasks of a type until `signal` is aborted: it polls, runs the handler, extends the leases of what
   * runs, and tells what became of it. An attempt may run more than once; its effects are made once by the task's id.
   *
   * @param Payload what the creators of these tasks put in; nothing checks it
   * @returns when it has drained: what ran has ended, or was given back after `drainMs`
   * @throws RangeError when `concurrency` is no whole number from 1 on
   * @throws ClientError after draining, when the server refuses its polls for good: `UNAUTHENTICATED`, `FORBIDDEN`,
   *   `TYPE_DELIVERY_CONFLICT`, `VALIDATION_FAILED`
   * @example
   *   await client.consume<{ url: string }>("image.resize", ({ payload }, { signal }) => resize(payload.url, signal), {
   *     concurrency: 4,
   *     signal: stop.signal,
   *   });
   */
  consume<Payload = unknown>(type: string, handler: PullHandler<Payload>, options: ConsumeOptions = {}): Promise<void> {
    return new Consumer<Payload>(this.queues, { type, handler, options }).run();
  }
}

function callsOf<Name extends keyof Calls>(transport: Transport, name: Name): Calls[Name] {
  const calls = Object.entries(ROWS[name]).map(([id, row]) => {
    const places = row.path.match(/:\w+/g)?.length ?? 0;
    const takes = places + (row.given === undefined ? 0 : 1);
    const call = (...given: unknown[]): Promise<unknown> =>
      transport.call({
        row,
        places: given.slice(0, places) as string[],
        input: row.given === undefined ? undefined : given[places],
        options: (given[takes] ?? {}) as CallOptions,
      });
    return [id, call] as const;
  });
  return Object.fromEntries(calls) as unknown as Calls[Name];
}
