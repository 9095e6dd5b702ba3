import { Client } from "pg";
import { expect } from "@jest/globals";
import type { TaskBody } from "../support/api-client.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { Ledger } from "../support/ledger.js";
import type { StepEvidence } from "./step-accounts.js";
import { StepRecords } from "./step-records.js";

/** All that there are when the tasks start; the one that joins before they die takes their tasks. */
export const KILLS_OF_A_WAVE = 2;
/** What nothing stops; such tasks begin right before their node is killed. */
const ANYWHERE = ["anywhere", "anywhere"];

/** The tasks of one type that are cut. */
export interface KilledTasks {
  type: string;
  /**
   * Those of a node that is killed, by the place where it stops them. Two kinds of commits wait in the database: a
   * `released commit` goes through when the node is dead, a `kept commit` waits until somebody ends its session.
   */
  places: readonly string[];
  /** The rows of a task that stands still. */
  rows: number;
  /** The rows of a task that nothing stops: so many that a kill finds it at work. */
  manyRows: number;
  /** What its payload has beside `place`, `rows` and `gate`. */
  payload: object;
}

export interface KilledTask {
  id: string;
  type: string;
  place: string;
  rows: number;
}

/** Kills all nodes in the middle of their tasks, wave by wave: the node that runs them again is the next to die. */
export class KillWaves {
  private nodes: TestNode[] = [];

  private constructor(
    private readonly stage: TestStage,
    private readonly kinds: readonly KilledTasks[],
    private readonly parts: { services: TestServices; records: StepRecords; gatekeeper: Client },
  ) {}

  static async open(stage: TestStage, kinds: readonly KilledTasks[]): Promise<KillWaves> {
    const services = await stage.services({ redis: true });
    const records = new StepRecords(await stage.add(new Ledger(services.databaseUrl)));
    await records.create();
    const gatekeeper = new Client({ connectionString: services.databaseUrl });
    await gatekeeper.connect();
    await stage.add({ stop: () => gatekeeper.end() });
    const waves = new KillWaves(stage, kinds, { services, records, gatekeeper });
    waves.nodes = await stage.many(KILLS_OF_A_WAVE, () => waves.startNode());
    await eventually(() => expectOneView(waves.nodes));
    return waves;
  }

  async run(waves: number): Promise<KilledTask[]> {
    const tasks: KilledTask[] = [];
    for (let place = 0; place < waves; place += 1) tasks.push(...(await this.wave(place, place === waves - 1)));
    return tasks;
  }

  /** What became of these tasks, once their last execution has ended. */
  async evidenceOf(tasks: readonly KilledTask[]): Promise<StepEvidence[]> {
    const notes = await this.parts.records.notes();
    const effects = await this.parts.records.effects();
    const evidence: StepEvidence[] = [];
    // One by one: a node refuses more calls at once than it answers in a second.
    for (const { id, rows } of tasks) {
      const { state } = (await this.nodes[0]!.client.get<TaskBody>(`/v1/tasks/${id}`)).body;
      const isIts = ({ taskId }: { taskId: string }): boolean => taskId === id;
      evidence.push({ id, rows, state, notes: notes.filter(isIts), effects: effects.filter(isIts) });
    }
    return evidence;
  }

  private async wave(place: number, isLast: boolean): Promise<KilledTask[]> {
    const gates = [2 * place + 1, 2 * place + 2] as const;
    const victims = this.nodes;
    for (const gate of gates) await this.parts.gatekeeper.query("SELECT pg_advisory_lock($1)", [gate]);
    const scheduleAll = async (isStanding: boolean): Promise<KilledTask[]> => {
      const each = this.kinds.flatMap((kind) => victims.map((victim) => ({ kind, victim })));
      const places = (kind: KilledTasks): readonly string[] => (isStanding ? kind.places : ANYWHERE);
      const made = each.map(({ kind, victim }) => scheduleOn(victim, kind, { places: places(kind), gates }));
      return (await Promise.all(made)).flat();
    };
    const standing = await scheduleAll(true);
    await this.expectInPlace(standing, gates);
    const heir = await this.startNode();
    await eventually(() => expectOneView([...victims, heir]));
    const tasks = [...standing, ...(await scheduleAll(false))];
    await this.expectInPlace(tasks, gates);
    await Promise.all(victims.map((victim) => victim.kill()));
    await this.parts.gatekeeper.query("SELECT pg_advisory_unlock($1)", [gates[0]]);
    const others = isLast ? [] : await this.stage.many(KILLS_OF_A_WAVE - 1, () => this.startNode());
    this.nodes = [heir, ...others];
    await quiet(heir);
    await this.parts.gatekeeper.query("SELECT pg_advisory_unlock($1)", [gates[1]]);
    await eventually(() => expectOneView(this.nodes));
    return tasks;
  }

  private startNode(): Promise<TestNode> {
    const { databaseUrl, redisUrl } = this.parts.services;
    return this.stage.app({ databaseUrl, redisUrl, types: this.kinds.map(({ type }) => type) });
  }

  /** Waits until every execution is where it stands still, and those that do not have begun. */
  private async expectInPlace(tasks: readonly KilledTask[], gates: readonly number[]): Promise<void> {
    await eventually(async () => {
      const standing = await this.parts.records.tasksThat("stands");
      const begun = await this.parts.records.tasksThat("began");
      const isAway = ({ id, place }: KilledTask): boolean =>
        place === "anywhere" || place.endsWith("commit") ? !begun.has(id) : !standing.has(id);
      expect(tasks.filter(isAway)).toEqual([]);
      const commits = tasks.filter(({ place }) => place.endsWith("commit"));
      expect(await this.parts.records.atGates(gates)).toBe(commits.length);
    });
  }
}

/** They are due soon, so they run on this node, or on another one that is to die. */
async function scheduleOn(
  { client }: TestNode,
  { type, rows: fewRows, manyRows, payload: more }: KilledTasks,
  { places, gates }: { places: readonly string[]; gates: readonly [number, number] },
): Promise<KilledTask[]> {
  const payloads = places.map((place) => {
    const rows = place === "anywhere" ? manyRows : fewRows;
    const gate = place === "released commit" ? gates[0] : gates[1];
    return { ...more, place: place.split(" ").at(-1), rows, gate };
  });
  const tasks = await client.scheduleMany(payloads.map((payload) => ({ type, payload, delay: 200 })));
  return tasks.map(({ id }, index) => ({ id, type, place: places[index]!, rows: payloads[index]!.rows }));
}

/** Whether its first execution has come to no end. */
export function isCut({ notes }: StepEvidence): boolean {
  return notes.some(({ fence }) => fence > 1) && !notes.some(({ fence, what }) => fence === 1 && what === "ended");
}

/** How many tasks of each place were cut. */
export function cutByPlace(tasks: readonly KilledTask[], evidence: readonly StepEvidence[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [index, { place }] of tasks.entries())
    if (isCut(evidence[index]!)) counts[place] = (counts[place] ?? 0) + 1;
  return counts;
}

/** Each task that was to stand still was cut, and of the others enough that the test says something. */
export function expectCut(tasks: readonly KilledTask[], evidence: readonly StepEvidence[], least: number): void {
  const cut = new Set(evidence.filter(isCut).map(({ id }) => id));
  expect(tasks.filter(({ id, place }) => place !== "anywhere" && !cut.has(id))).toEqual([]);
  expect(cut.size).toBeGreaterThanOrEqual(least);
}
