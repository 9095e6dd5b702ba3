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

  /** What was told under a code by any node at any time, each finding once. */
  everTold(code: string): Finding[] {
    return [...this.told.values()].filter((finding) => finding.code === code);
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

/** What a finding says, besides its code. */
export interface FindingWords {
  severity: string;
  title: RegExp;
  cure: RegExp;
}

/**
 * Waits until each of these nodes tells these findings, worst first, and no other.
 *
 * @param known ids of findings that may be told still, because they close a while after their causes
 * @returns them as each node tells them, and how long the slowest took
 */
export async function toldByAll(
  nodes: readonly Pick<TestNode, "client">[],
  codes: readonly string[],
  known: readonly string[] = [],
): Promise<{ findings: Finding[][]; tookMs: number }> {
  const fromMonoMs = performance.now();
  const findings = await Promise.all(
    nodes.map((node) =>
      eventually(async () => {
        const now = (await findingsOf(node)).now.filter(({ id }) => !known.includes(id));
        expect(now.map((finding) => finding.code)).toEqual(codes);
        return now;
      }),
    ),
  );
  return { findings, tookMs: Math.round(performance.now() - fromMonoMs) };
}

/** Waits as {@link toldByAll} for one finding, and answers it as the first node tells it. */
export async function oneToldByAll(
  nodes: readonly Pick<TestNode, "client">[],
  { code, severity, title, cure }: FindingWords & { code: string },
  known: readonly string[] = [],
): Promise<{ finding: Finding; tookMs: number }> {
  const { findings, tookMs } = await toldByAll(nodes, [code], known);
  for (const [finding] of findings)
    expect(finding).toMatchObject({
      code,
      severity,
      until: null,
      title: expect.stringMatching(title),
      cure: expect.stringMatching(cure),
    });
  return { finding: findings[0]![0]!, tookMs };
}

/**
 * Waits until each of these nodes tells these alone, and all have these in their last day, whose ends are in order.
 *
 * @returns the last day as the first node tells it, newest first
 */
export async function overOnAll(
  nodes: readonly TestNode[],
  { now: codes = [], over }: { now?: readonly string[]; over: readonly string[] },
): Promise<Finding[]> {
  const days = await Promise.all(
    nodes.map((node) =>
      eventually(async () => {
        const { now, lastDay } = await findingsOf(node);
        expect(now.map(({ code }) => code)).toEqual(codes);
        expect(lastDay.map(({ code }) => code).sort()).toEqual([...over].sort());
        return lastDay;
      }),
    ),
  );
  for (const day of days) {
    const ends = day.map(({ until }) => Date.parse(until!));
    expect(ends).toEqual(ends.toSorted((one, other) => other - one));
    for (const { since, until } of day) expect(Date.parse(until!)).toBeGreaterThanOrEqual(Date.parse(since));
  }
  return days[0]!;
}
