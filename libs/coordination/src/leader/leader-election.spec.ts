import { describe, expect, test } from "@jest/globals";
import { ManualClock, MemoryBus, MemoryClusterStore, MemoryDatabase, RecordingTelemetry } from "@tickwheel/testing";
import { Health } from "../health/health.js";
import { LeaderElection } from "./leader-election.js";

class Bench {
  readonly clock = new ManualClock();
  readonly database = new MemoryDatabase({ clock: this.clock });
  readonly bus = new MemoryBus({ clock: this.clock });
  readonly changes: string[] = [];
  readonly dead = new Set<string>();

  candidate(bootId: string, mayLead = () => true) {
    const connection = this.database.connect(bootId);
    const coordination = this.bus.attach();
    const telemetry = new RecordingTelemetry();
    const { clock } = this;
    const health = new Health(clock, telemetry);
    const store = new MemoryClusterStore(connection);
    const election = new LeaderElection(
      { clock, store, coordination, health, telemetry },
      {
        bootId,
        mayLead,
        mayStand: mayLead,
        leaderTtlMs: 3_000,
        heartbeatIntervalMs: 1_000,
        isDead: (other) => this.dead.has(other),
        onChange: () => this.changes.push(bootId),
      },
    );
    return { election, connection, coordination, health };
  }

  /** Lets a candidate poll for a while. */
  async polls(election: LeaderElection, forMs: number): Promise<void> {
    for (let at = 0; at < forMs; at += 250) {
      await this.clock.advance(250);
      await election.runOnce();
    }
  }
}

describe("the election", () => {
  test("a term without a holder is taken at once, and its beat is raised each heartbeat", async () => {
    const bench = new Bench();
    const { election } = bench.candidate("1");
    await election.runOnce();
    expect(election.leadership).toEqual({ term: 1, holder: "1" });
    await bench.polls(election, 10_000);
    expect(bench.database.cluster.term.beat).toBeGreaterThanOrEqual(9);
    expect(bench.database.cluster.term.beat).toBeLessThanOrEqual(11);
  });

  test("the second of two candidates stands only when the leader is silent: after 3 s with the lock, after 6 s without it", async () => {
    const bench = new Bench();
    const one = bench.candidate("1");
    const two = bench.candidate("2");
    await one.election.runOnce();
    await bench.polls(two.election, 3_000);
    expect(two.election.leadership).toBeNull();
    await bench.polls(two.election, 500);
    expect(two.election.leadership).toEqual({ term: 2, holder: "2" });

    bench.bus.setAvailable(false);
    const three = bench.candidate("3");
    await bench.polls(three.election, 6_000);
    expect(three.election.leadership).toBeNull();
    await bench.polls(three.election, 500);
    expect(three.election.leadership).toEqual({ term: 3, holder: "3" });
  });

  test("a leader that is known to be dead is followed at once, although its lock in Redis is still there", async () => {
    const bench = new Bench();
    const one = bench.candidate("1");
    const two = bench.candidate("2");
    await one.election.runOnce();
    await bench.polls(two.election, 500);
    bench.dead.add("1");
    await bench.polls(two.election, 250);
    expect(two.election.leadership).toEqual({ term: 2, holder: "2" });
  });

  test("another node's lock keeps a candidate back until twice the time has passed", async () => {
    const bench = new Bench();
    const one = bench.candidate("1");
    const two = bench.candidate("2");
    const idle = bench.bus.attach();
    await one.election.runOnce();
    await idle.campaign("9", 60_000);
    await bench.polls(two.election, 6_000);
    expect(two.election.leadership).toBeNull();
    await bench.polls(two.election, 500);
    expect(two.election.leadership).not.toBeNull();
  });

  test("a deposed leader notices at its next beat, and watches again", async () => {
    const bench = new Bench();
    const { election } = bench.candidate("1");
    await election.runOnce();
    bench.database.cluster.term = { term: 2, holder: "2", beat: 0 };
    await bench.polls(election, 1_000);
    expect(election.leadership).toBeNull();
    expect(bench.changes).toEqual(["1", "1"]);
    await bench.polls(election, 500);
    expect(election.term).toEqual({ term: 2, holder: "2", beat: 0 });
  });

  test("a leader that cannot reach the store keeps leading until it learns that it is deposed", async () => {
    const bench = new Bench();
    const { election, connection } = bench.candidate("1");
    await election.runOnce();
    connection.disconnect();
    await bench.polls(election, 5_000);
    expect(election.leadership).toEqual({ term: 1, holder: "1" });
    connection.connect();
    await bench.polls(election, 2_000);
    expect(bench.database.cluster.term).toMatchObject({ term: 1, holder: "1" });
  });

  test("a candidate whose winning answer was lost leads at its next look", async () => {
    const bench = new Bench();
    const { election, connection } = bench.candidate("1");
    connection.loseNextReply("takeTerm");
    await election.runOnce();
    expect(election.leadership).toBeNull();
    await bench.polls(election, 250);
    expect(election.leadership).toEqual({ term: 1, holder: "1" });
  });

  test("a candidate that wins the lock but not the term gives the lock back", async () => {
    const bench = new Bench();
    const one = bench.candidate("1");
    const two = bench.candidate("2");
    await one.election.runOnce();
    two.connection.failNext("takeTerm", 1);
    await bench.polls(two.election, 3_250);
    expect(two.election.leadership).toBeNull();
    expect(await bench.bus.attach().campaign("3", 1_000)).toBe("held");
  });

  test("a node that may not lead only watches, and a leader that may not lead any more does nothing", async () => {
    const bench = new Bench();
    let mayLead = false;
    const { election } = bench.candidate("1", () => mayLead);
    await bench.polls(election, 1_000);
    expect([election.leadership, election.term]).toEqual([null, { term: 0, holder: null, beat: 0 }]);
    mayLead = true;
    await bench.polls(election, 250);
    expect(election.leadership).not.toBeNull();
    mayLead = false;
    expect(election.leadership).toBeNull();
  });

  test("a leader that may not lead any more gives the term up, so that another takes it at once", async () => {
    const bench = new Bench();
    let mayLead = true;
    const one = bench.candidate("1", () => mayLead);
    const two = bench.candidate("2");
    await one.election.runOnce();
    mayLead = false;
    await bench.polls(one.election, 250);
    expect(bench.database.cluster.term).toMatchObject({ term: 1, holder: null });
    await two.election.runOnce();
    expect(two.election.leadership).toEqual({ term: 2, holder: "2" });
    mayLead = true;
    await bench.polls(one.election, 250);
    expect(one.election.leadership).toBeNull();
  });

  test("a leader that resigns while Postgres is away clears the term as soon as it is back", async () => {
    const bench = new Bench();
    let mayLead = true;
    const one = bench.candidate("1", () => mayLead);
    const two = bench.candidate("2");
    await one.election.runOnce();
    mayLead = false;
    one.connection.disconnect();
    await one.election.resign();
    await bench.polls(one.election, 1_000);
    expect(bench.database.cluster.term.holder).toBe("1");
    one.connection.connect();
    await bench.polls(one.election, 250);
    await two.election.runOnce();
    expect(two.election.leadership).toEqual({ term: 2, holder: "2" });
    expect(one.health.list()).toEqual([]);
  });

  test("a leader that resigns leaves neither holder nor lock behind", async () => {
    const bench = new Bench();
    const { election } = bench.candidate("1");
    await election.runOnce();
    await bench.polls(election, 1_000);
    await election.resign();
    await election.resign();
    expect(bench.database.cluster.term).toMatchObject({ term: 1, holder: null });
    expect(await bench.bus.attach().campaign("2", 1_000)).toBe("held");
    expect(bench.changes).toEqual(["1", "1"]);
  });
});
