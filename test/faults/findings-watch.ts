import { expect } from "@jest/globals";
import type { Finding } from "../support/api-client.js";
import type { TestNode } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";

/** `GET /v1/findings`. */
export interface FindingsBody {
  at: string;
  now: Finding[];
  lastDay: Finding[];
}

const ASK_EVERY_MS = 500;

export async function findingsOf({ client }: Pick<TestNode, "client">): Promise<FindingsBody> {
  const { status, body } = await client.get<FindingsBody>("/v1/findings");
  if (status !== 200) throw new Error(`GET /v1/findings answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/**
 * Somebody who looks at the findings of every node all the time, as an open dashboard does, and remembers what each has
 * ever told.
 */
export class FindingsWatch {
  private readonly told = new Map<string, Finding>();
  private readonly timer: NodeJS.Timeout;

  /** @param nodes which nodes are there just now */
  constructor(private readonly nodes: () => readonly TestNode[]) {
    this.timer = setInterval(() => {
      for (const node of nodes()) this.lookAt(node).catch(() => undefined);
    }, ASK_EVERY_MS);
  }

  /** Looks once at each node, remembers what it tells, and answers it, node by node. */
  look(): Promise<FindingsBody[]> {
    return Promise.all(this.nodes().map((node) => this.lookAt(node)));
  }

  /** The codes of all that was told, sorted, one for each finding. */
  get codes(): string[] {
    return [...this.told.values()].map(({ code }) => code).sort();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async lookAt(node: TestNode): Promise<FindingsBody> {
    const body = await findingsOf(node);
    for (const finding of [...body.now, ...body.lastDay]) this.told.set(`${finding.id} ${finding.code}`, finding);
    return body;
  }
}

/**
 * Waits until each of these nodes tells these findings, worst first, and no other.
 *
 * @returns them as each node tells them, and how long the slowest took
 */
export async function toldByAll(
  nodes: readonly Pick<TestNode, "client">[],
  codes: readonly string[],
): Promise<{ findings: Finding[][]; tookMs: number }> {
  const fromMonoMs = performance.now();
  const findings = await Promise.all(
    nodes.map((node) =>
      eventually(async () => {
        const { now } = await findingsOf(node);
        expect(now.map((finding) => finding.code)).toEqual(codes);
        return now;
      }),
    ),
  );
  return { findings, tookMs: Math.round(performance.now() - fromMonoMs) };
}

/** Waits until none of these nodes tells anything, and all have these in their last day, newest first. */
export async function overOnAll(nodes: readonly TestNode[], codes: readonly string[]): Promise<Finding[]> {
  const days = await Promise.all(
    nodes.map((node) =>
      eventually(async () => {
        const { now, lastDay } = await findingsOf(node);
        expect({ now, lastDay: lastDay.map(({ code }) => code) }).toEqual({ now: [], lastDay: codes });
        return lastDay;
      }),
    ),
  );
  return days[0]!;
}
