import { randomBytes } from "node:crypto";
import type { ServiceStack } from "@tickwheel/local-services";
import { Acknowledgements } from "./histories/acknowledgements.js";
import { collectHistories } from "./histories/collect-histories.js";
import type { Kill } from "./histories/histories.js";
import { HttpCalls } from "./cluster/http-calls.js";
import { judge, type Verdict } from "./verdict/judge.js";
import type { DemoOptions } from "./options.js";
import { OrderCalls } from "./replay/order-calls.js";
import type { SourceOrder } from "./orders/orders.js";
import { PaymentProvider } from "./cluster/payment-provider.js";
import { Replay } from "./replay/replay.js";
import { planOrders, timeoutMs } from "./orders/replay-plan.js";
import type { RunFacts } from "./report/report.js";
import { seededRandom } from "./orders/seeded-random.js";
import { type Services, startServices } from "./services.js";
import { settle } from "./replay/settling.js";
import { liveNodes, type Member, ShopCluster } from "./cluster/shop-cluster.js";
import { MachineWatch } from "./machine/machine-watch.js";
import { ShopRecords } from "./histories/shop-records.js";
import { StatusLine } from "./report/status-line.js";

const FIRST_NODES = 3;
const API_KEY_BYTES = 32;
/** The shop counts its orders by it. */
export const SCHEDULE = "orders.count";

/** Everything that a run needs, started. */
interface Stage {
  services: Services;
  http: HttpCalls;
  cluster: ShopCluster;
  records: ShopRecords;
  machine: MachineWatch;
  apiKey: string;
}

/** The outcome of a run, and the cluster that is still up. */
export interface DemoRun {
  verdict: Verdict;
  facts: RunFacts;
  cluster: ShopCluster;
  apiKey: string;
}

/** Starts the servers and the cluster. All that is started is on the stack. */
async function setStage(stack: ServiceStack, options: DemoOptions, say: (line: string) => void): Promise<Stage> {
  const services = await startServices(stack, options, say);
  const provider = await stack.add(await PaymentProvider.start());
  const apiKey = randomBytes(API_KEY_BYTES).toString("base64url");
  const { databaseUrl, redisUrl } = services;
  const records = await stack.add(await ShopRecords.open(databaseUrl));
  const machine = await stack.add(new MachineWatch(() => records.dbNow()));
  machine.start();
  const http = await stack.add(new HttpCalls(machine.stretch));
  const settings = { databaseUrl, redisUrl, paymentProviderUrl: provider.url, apiKey };
  const cluster = new ShopCluster(settings, http, machine.stretch);
  await stack.add(cluster);
  say(`Nodes: starting ${FIRST_NODES}, their logs are in ${cluster.logFolder}`);
  await cluster.start(FIRST_NODES);
  say(`Nodes: ${cluster.members.map(({ label }) => label).join(", ")}`);
  return { services, http, cluster, records, machine, apiKey };
}

/** One replay on a stage that is set: sends, kills, lets join, waits, judges. */
class JudgedReplay {
  private readonly log = new Acknowledgements();
  private readonly status: StatusLine;
  private readonly troubles: string[] = [];
  private kill: Kill | null = null;
  private acts: Promise<void>[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly options: DemoOptions,
  ) {
    this.status = new StatusLine(stage.cluster, stage.records, this.log);
  }

  async run(orders: readonly SourceOrder[]): Promise<{ verdict: Verdict; facts: RunFacts }> {
    const startMonoMs = performance.now();
    this.status.start();
    try {
      await this.replay(orders);
      await Promise.all(this.acts);
      await this.awaitSettled();
    } finally {
      this.status.stop();
    }
    const rows = await this.stage.records.read();
    this.stage.machine.stop();
    const { samples } = this.stage.machine;
    const verdict = judge({ orders: collectHistories(orders, this.log, rows), kill: this.kill }, samples);
    return { verdict, facts: await this.facts(performance.now() - startMonoMs) };
  }

  private async replay(orders: readonly SourceOrder[]): Promise<void> {
    const { http, cluster, records, machine } = this.stage;
    const urls = () => cluster.members.map(({ node }) => node.url);
    const calls = new OrderCalls(http, urls, machine.stretch);
    const replay = new Replay({ calls, log: this.log, dbNow: () => records.dbNow() });
    const milestones = [
      { afterPurchases: Math.ceil(orders.length / 2), happen: () => this.act(() => this.killOne()) },
      { afterPurchases: Math.ceil((orders.length * 3) / 4), happen: () => this.act(() => this.letOneJoin()) },
    ];
    await replay.run({ orders: planOrders(orders, this.options), milestones, timeoutMs: timeoutMs(this.options) });
  }

  /** Something that happens beside the replay; what goes wrong in it is told in the report. */
  private act(happen: () => Promise<void>): void {
    this.acts.push(happen().catch((error: unknown) => void this.troubles.push(String(error))));
  }

  private async killOne(): Promise<void> {
    const { cluster, records, services } = this.stage;
    const chance = seededRandom(this.options.seed);
    const victim: Member = cluster.members[Math.floor(chance() * cluster.members.length)]!;
    this.kill = { node: victim.label, at: records.dbNow() };
    cluster.kill(victim);
    this.status.say(`Killed node ${victim.label}`);
    if (!this.options.killsRedis || !services.ownRedis) return;
    await services.ownRedis.kill();
    this.status.say("Killed Redis");
  }

  private async letOneJoin(): Promise<void> {
    const { label } = await this.stage.cluster.join();
    this.status.say(`Node ${label} joined`);
  }

  private async awaitSettled(): Promise<void> {
    const { records, machine } = this.stage;
    const progress = () => records.progress(this.kill ? [this.kill.node] : []);
    const isSettled = await settle(
      { dbNow: () => records.dbNow(), progress, stretch: machine.stretch },
      this.log.lastCancelAt,
    );
    if (!isSettled) this.troubles.push("some orders or executions did not come to an end in time");
  }

  private async facts(durationMs: number): Promise<RunFacts> {
    const { cluster } = this.stage;
    const view = await cluster.view();
    const crashes = cluster.crashed.map(
      ({ pid, logFile }) => `the node of process ${pid} ended by itself, see ${logFile}`,
    );
    return {
      killedNode: this.kill?.node ?? null,
      coordination: view?.coordination ?? "unknown",
      nodes: view ? liveNodes(view) : 0,
      durationMs,
      schedule: await cluster.runsOf(SCHEDULE),
      troubles: [...this.troubles, ...crashes],
    };
  }
}

/** Runs the whole demo but the end: the cluster stays up until the stack is stopped. */
export async function runDemo(
  stack: ServiceStack,
  options: DemoOptions,
  orders: readonly SourceOrder[],
): Promise<DemoRun> {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const stage = await setStage(stack, options, say);
  say(`Replaying ${orders.length} orders, ${options.rate} purchases a second, delays ${options.speed} times faster`);
  const played = stage.services.isDatabaseFresh ? orders : renamed(orders);
  const result = await new JudgedReplay(stage, options).run(played);
  return { ...result, cluster: stage.cluster, apiKey: stage.apiKey };
}

/** A database that is kept may know these orders from an earlier run, and would answer as it did then. */
function renamed(orders: readonly SourceOrder[]): SourceOrder[] {
  const run = randomBytes(3).toString("hex");
  return orders.map((order) => ({ ...order, orderId: `${run}-${order.orderId}` }));
}
