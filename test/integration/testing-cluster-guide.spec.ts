import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ClusterReport, type SeedsSummary, type SimulatedNode, simulateSeeds } from "@tickwheel/simulation/nest";
import type { SimulatedClusterOptions } from "@tickwheel/simulation/nest";
import { guideFences, PastedGuide } from "../support/app/pasted-guide.js";

const GUIDE = "docs/guides/testing-cluster.md";
const guide = new PastedGuide(GUIDE);

interface Pasted {
  cluster: SimulatedClusterOptions;
  check(this: void, report: ClusterReport): void;
  chargesOnce(this: void): Promise<SeedsSummary>;
}

describe("the guide for a cluster in a test", () => {
  let pasted: Pasted;

  beforeAll(async () => {
    pasted = await guide.load<Pasted>("src/charge-order.cluster.ts");
  });
  afterAll(() => guide.remove());

  test("the guide for a cluster in a test has blocks that compile as they stand", async () => {
    expect(await guide.compile()).toBe("");
  });

  test("the guide for a cluster in a test charges once in each of its hundred runs", async () => {
    const { seeds, faults } = await pasted.chargesOnce();
    expect(seeds).toBe(100);
    for (const count of Object.values(faults)) expect(count).toBeGreaterThan(0);
  });

  test("the guide for a cluster in a test tells truly what comes without the key", async () => {
    const { cluster, check } = pasted;
    const forgetful = ({ effects, ...node }: SimulatedNode) => {
      const keyless = Object.create(effects, {
        call: { value: (name: string, key: string) => effects.call(name, key) },
      }) as SimulatedNode["effects"];
      return cluster.app({ ...node, effects: keyless });
    };
    const found = simulateSeeds({ ...cluster, app: forgetful, seeds: 100, check });
    const story = guideFences(GUIDE).find(({ language }) => language === "text")!.text;
    const error = await found.then(
      () => "none",
      (thrown: Error) => thrown.message,
    );
    const shape = (text: string): unknown[] => [
      text.split("\n")[0],
      /\nSeed \d+ runs it again. What happened:\n/.test(text),
      /\n +\d+\.\d{3} s {2}FAULT (kill|pause|cut|lost answer) of node-\d for \d+ ms, where its handler /.test(text),
      text.match(/ EFFECT charge "42" by node-\d\n/g)?.length,
    ];
    expect(shape(`Error: ${error}\n`)).toEqual(shape(story));
  });
});
