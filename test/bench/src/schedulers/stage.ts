import { setTimeout as wait } from "node:timers/promises";
import type { HandlerBehaviour } from "./contestants/contestant.js";
import { ContestantProcess } from "./contestants/contestant-process.js";
import { isOnPostgres, type Programs, redisSettingsOf, type Subject } from "./contestants/contestants.js";
import { HostClock } from "./contestants/host-clock.js";
import type { DatabaseWork } from "./database-work.js";
import type { SchedulerOptions } from "./options.js";
import { cpuSecondsOf } from "./process-cpu.js";
import { Servers } from "./servers.js";
import { settingsForHolder } from "./snapshot-hold.js";
import { WriteAheadLog } from "./write-ahead-log.js";

/** How a job wants its contestant. */
interface ContestantWishes {
  readonly concurrency?: number;
  readonly works?: boolean;
  readonly serves?: boolean;
  readonly handler?: HandlerBehaviour;
}

/** CPU seconds, by whose they are. */
export interface CpuShares {
  readonly all: number;
  readonly contestant: number;
  readonly postgres: number;
  readonly redis: number;
}

/** What some work has used. */
export interface Used<Done> {
  readonly done: Done;
  readonly cpu: CpuShares;
  /** Null: the contestant has no Postgres. */
  readonly database: DatabaseWork | null;
}

const TIDY_POLL_MS = 100;
const TIDY_LIMIT_MS = 60_000;
/** Somebody sets the clock, and all lateness is wrong. */
const CLOCK_TOLERANCE_MS = 1;

/**
 * What one repetition of one contestant takes place on: fresh servers, processes of the contestant, the clock, the CPU
 * of all.
 */
export class Stage {
  readonly clock = HostClock.read();
  readonly servers: Servers;
  /** What Postgres writes; null: the contestant has none. */
  readonly log: WriteAheadLog | null;
  private readonly processes: ContestantProcess[] = [];

  private constructor(
    { servers, log }: Pick<Stage, "servers" | "log">,
    readonly subject: Subject,
    private readonly given: { programs: Programs; schedules: number },
  ) {
    this.servers = servers;
    this.log = log;
  }

  static async set(subject: Subject, options: SchedulerOptions, programs: Programs): Promise<Stage> {
    const servers = await Servers.start({
      major: options.postgres,
      redis: redisSettingsOf(subject),
      postgres: settingsForHolder(options.holder),
    });
    try {
      const log = isOnPostgres(subject) ? await WriteAheadLog.open(servers.postgresUrl) : null;
      return new Stage({ servers, log }, subject, { programs, schedules: options.schedules });
    } catch (error) {
      await servers.stop();
      throw error;
    }
  }

  /** Starts a process of the contestant. */
  async enter({
    concurrency,
    works = true,
    serves = false,
    handler = "ends",
  }: ContestantWishes = {}): Promise<ContestantProcess> {
    const { peer, settings } = this.subject;
    const { postgresUrl, redisUrl } = this.servers;
    const { programs } = this.given;
    const schedules = this.processes.length === 0 ? this.given.schedules : 0;
    const setup = {
      postgresUrl,
      redisUrl,
      settings,
      concurrency: concurrency ?? null,
      works,
      serves,
      handler,
      schedules,
    };
    const entered = await ContestantProcess.start(programs.of(peer), setup, peer);
    this.processes.push(entered);
    return entered;
  }

  /** What all have used so far. */
  cpu(): CpuShares {
    const { postgres, redis } = this.servers.pids;
    const shares = {
      contestant: cpuSecondsOf(this.processes.map(({ pid }) => pid)),
      postgres: cpuSecondsOf([postgres]),
      redis: cpuSecondsOf([redis]),
    };
    return { all: shares.contestant + shares.postgres + shares.redis, ...shares };
  }

  /** Has the contestant do some work, with what it puts off. The log's ends lie around those of the CPU's time. */
  async whatUses<Done>(contestant: ContestantProcess, work: () => Promise<Done>): Promise<Used<Done>> {
    await this.log?.begin();
    const before = this.cpu();
    const done = await work();
    await this.whenTidy(contestant);
    const cpu = cpuSince(before, this.cpu());
    return { done, cpu, database: (await this.log?.end()) ?? null };
  }

  /** Looks again and again until it `isEnough` or the limit is reached. @returns what was seen last */
  async lookUntil(
    { limitAt, everyMs }: { limitAt: number; everyMs: number },
    look: () => Promise<number>,
    isEnough: (seen: number) => boolean,
  ): Promise<number> {
    for (;;) {
      const seen = await look();
      if (isEnough(seen) || this.clock.now() >= limitAt) return seen;
      await wait(everyMs);
    }
  }

  /** Waits until the contestant has nothing left to do, so that work it put off is counted. */
  async whenTidy(contestant: ContestantProcess): Promise<void> {
    const endMs = performance.now() + TIDY_LIMIT_MS;
    while (!(await contestant.ask("isTidy"))) {
      if (performance.now() > endMs)
        throw new Error(`${this.subject.peer} left work undone for ${TIDY_LIMIT_MS / 1_000} s`);
      await wait(TIDY_POLL_MS);
    }
  }

  /** @throws Error if the clock was set meanwhile */
  async strike(): Promise<void> {
    for (const each of this.processes) await each.stop();
    await this.log?.close();
    await this.servers.stop();
    const driftMs = this.clock.driftMs();
    if (Math.abs(driftMs) > CLOCK_TOLERANCE_MS)
      throw new Error(`the wall clock was set by ${driftMs.toFixed(1)} ms during the run`);
  }
}

/** What was used between two looks. */
export function cpuSince(before: CpuShares, after: CpuShares): CpuShares {
  return {
    all: after.all - before.all,
    contestant: after.contestant - before.contestant,
    postgres: after.postgres - before.postgres,
    redis: after.redis - before.redis,
  };
}

/** CPU per task, in microseconds: of all, of the contestant's processes, of the servers. */
export function cpuFigures({ all, contestant }: CpuShares, tasks: number): Record<string, number> {
  const micros = (seconds: number): number => (seconds / tasks) * 1e6;
  return {
    cpuMicrosPerTask: micros(all),
    nodeMicrosPerTask: micros(contestant),
    serverMicrosPerTask: micros(all - contestant),
  };
}
