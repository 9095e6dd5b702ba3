import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { HttpCalls } from "./http-calls.js";
import { ShopNode, type ShopNodeOptions } from "./shop-node.js";

/** What the demo reads of `GET /v1/cluster`. */
export interface ClusterReport {
  coordination: string;
  leader: { node: string } | null;
  nodes: { label: string; state: string }[];
}

/** What the demo reads of `GET /v1/schedules/{name}/runs`. */
interface RunsReport {
  items: ({ kind: "skip"; count: number } | { kind: "spec"; outcome: string | null })[];
}

/** What became of a schedule's instants. */
export interface ScheduleRuns {
  name: string;
  /** That have ended. */
  runs: number;
  skipped: number;
}

/** A node takes part: its process, and what the cluster calls it. */
export interface Member {
  node: ShopNode;
  /** `ip:pid`. */
  label: string;
}

/** On a quiet machine. */
const START_LIMIT_MS = 60_000;
const POLL_MS = 100;

/** The shop's nodes: started, watched, killed, stopped. Every node's output is in a file of `logFolder`. */
export class ShopCluster {
  readonly logFolder = mkdtempSync(join(tmpdir(), "tickwheel-demo-"));
  private readonly nodes: ShopNode[] = [];
  private readonly joined: Member[] = [];
  private started = 0;
  private isStopped = false;

  constructor(
    private readonly settings: ShopNodeOptions,
    private readonly http: HttpCalls,
    /** How many times longer than on a quiet machine a limit is at present. */
    private readonly stretch: () => number,
  ) {}

  /** The nodes that take calls. */
  get members(): readonly Member[] {
    return this.joined.filter(({ node }) => node.isRunning);
  }

  /** Nodes that ended although nobody wanted it. */
  get crashed(): readonly ShopNode[] {
    return this.nodes.filter((node) => node.hasCrashed);
  }

  /**
   * Starts nodes at the same instant and waits until all are in the cluster.
   *
   * @throws Error with the end of its log when one does not come up
   */
  async start(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.join()));
    await this.until(`${count} nodes and a leader`, async () => {
      const view = await this.view();
      return view?.leader && liveNodes(view) >= count ? view : undefined;
    });
  }

  /** Starts one node and waits until it is ready. */
  async join(): Promise<Member> {
    if (this.isStopped) throw new Error("The cluster was stopped");
    const logFile = join(this.logFolder, `node-${(this.started += 1)}.log`);
    const node = await ShopNode.start(this.settings, logFile);
    this.nodes.push(node);
    const label = await this.until("a node that is ready", () => this.labelWhenReady(node), node);
    const member = { node, label };
    this.joined.push(member);
    return member;
  }

  /** Ends a node by SIGKILL, as a crash would. */
  kill({ node }: Member): void {
    node.kill();
    this.joined.splice(
      this.joined.findIndex((member) => member.node === node),
      1,
    );
  }

  /** The cluster as one of its nodes sees it; null while none answers. */
  view(): Promise<ClusterReport | null> {
    return this.askAny<ClusterReport>("/v1/cluster");
  }

  /** The last runs of a schedule, as one of the nodes tells them; null while none answers. */
  async runsOf(name: string): Promise<ScheduleRuns | null> {
    const report = await this.askAny<RunsReport>(`/v1/schedules/${encodeURIComponent(name)}/runs?limit=200`);
    return report && { name, ...countedRuns(report) };
  }

  /** Drains all nodes at once. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  /** Deletes the logs. */
  forgetLogs(): void {
    rmSync(this.logFolder, { recursive: true, force: true });
  }

  private async labelWhenReady(node: ShopNode): Promise<string | undefined> {
    const ready = await this.http.get(`${node.url}/health/ready`).catch(() => null);
    if (ready?.status !== 200) return undefined;
    const view = await this.ask<ClusterReport>(node, "/v1/cluster");
    return view?.nodes.find(({ label, state }) => label.endsWith(`:${node.pid}`) && state === "live")?.label;
  }

  private async askAny<Body>(path: string): Promise<Body | null> {
    for (const { node } of this.members) {
      const body = await this.ask<Body>(node, path);
      if (body) return body;
    }
    return null;
  }

  private async ask<Body>(node: ShopNode, path: string): Promise<Body | null> {
    const headers = { authorization: `Bearer ${this.settings.apiKey}` };
    const answer = await this.http.get(`${node.url}${path}`, headers).catch(() => null);
    return answer?.status === 200 ? (JSON.parse(answer.body) as Body) : null;
  }

  private async until<T>(what: string, look: () => Promise<T | undefined>, node?: ShopNode): Promise<T> {
    const startMs = Date.now();
    for (; Date.now() < startMs + START_LIMIT_MS * this.stretch(); await delay(POLL_MS)) {
      const found = await look();
      if (found !== undefined) return found;
      const dead = node?.isRunning === false ? node : this.crashed[0];
      if (dead) throw new Error(`A node ended while it started:\n${dead.logTail()}`);
    }
    throw new Error(
      `No ${what} within ${((Date.now() - startMs) / 1_000).toFixed(0)} s${node ? `:\n${node.logTail()}` : ""}`,
    );
  }
}

/** How many nodes of a view are alive. */
export function liveNodes({ nodes }: ClusterReport): number {
  return nodes.filter(({ state }) => state === "live").length;
}

function countedRuns({ items }: RunsReport): { runs: number; skipped: number } {
  const counted = { runs: 0, skipped: 0 };
  for (const item of items)
    if (item.kind === "skip") counted.skipped += item.count;
    else if (item.outcome !== null) counted.runs += 1;
  return counted;
}
