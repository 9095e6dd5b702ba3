import type { Telemetry, TelemetryEvent } from "@tickwheel/core";
import {
  type Fault,
  type LinkFaults,
  SimulatedNotify,
  SimulatedRedis,
  TraceHash,
  VirtualTime,
} from "@tickwheel/simulation";
import { MemoryClaimSecretStore, MemoryDatabase, SeededRandom } from "@tickwheel/testing";
import type { Plan } from "./plan.js";
import { Recorder } from "./recorder.js";
import { SimulatedProcess } from "./simulated-process.js";

/** How often a statement pauses between two of its steps, and for how many milliseconds. */
const PAUSE_SHARE = 0.06;
const USUAL_PAUSE_MS = 2;

/** The faults of one node, whatever its boot id is. */
export type NodeFault = Omit<Extract<Fault, { bootId: string }>, "bootId">;

/** Everything in a run: the time, the database, Redis, the processes, and the recorder of events. */
export class World {
  readonly trace = new TraceHash();
  readonly time: VirtualTime;
  readonly database: MemoryDatabase;
  readonly redis: SimulatedRedis;
  readonly notify: SimulatedNotify;
  readonly recorder: Recorder;
  /** The secrets of the tokens of claims: what one node signs the others can read. */
  readonly claimSecrets = new MemoryClaimSecretStore();
  /** For each place, the process that runs there now, or ran there last. */
  readonly processes: SimulatedProcess[] = [];
  private readonly started: SimulatedProcess[] = [];
  /** Called for each event of each process. Default: nobody listens. */
  onEvent: (process: SimulatedProcess, event: TelemetryEvent) => void = () => undefined;
  /** How many processes are to be started again. */
  restarts = 0;
  maxPauseMs = USUAL_PAUSE_MS;
  /** The fault of all networks to Redis. */
  redisFaults: Partial<LinkFaults> = {};
  private readonly chance: SeededRandom;
  private readonly pauses: SeededRandom;
  /** Faults that are on, by the label of the node that they strike. */
  private readonly nodeFaults = new Map<string, { fault: NodeFault; bootIds: string[] }[]>();

  constructor(readonly plan: Plan) {
    this.chance = new SeededRandom(plan.seed ^ 0x5bd1e995);
    this.pauses = new SeededRandom(plan.seed ^ 0x1b873593);
    this.time = new VirtualTime({ random: new SeededRandom(plan.seed ^ 0x27d4eb2f), trace: this.trace });
    this.database = new MemoryDatabase({ clock: this.time, keepsVersions: true, pauseMs: () => this.pauseMs() });
    this.redis = new SimulatedRedis({ time: this.time });
    this.notify = new SimulatedNotify({ time: this.time, isPooled: plan.coordination === "none" });
    this.recorder = new Recorder({ database: this.database, time: this.time, trace: this.trace });
    this.recorder.onJoined = (label, bootId) => this.blame(label, bootId);
  }

  /** Starts a process at a place; the one that ran there before has ended. */
  start(place: number): SimulatedProcess {
    const seed = Math.floor(this.chance.next() * 2 ** 32);
    const started = new SimulatedProcess(this, { place, label: `10.0.0.${place + 1}:1`, seed });
    this.processes[place] = started;
    this.started.push(started);
    started.start();
    return started;
  }

  /** Whether a caller waits for an answer, even of a process that has stopped since, but not of one that was killed. */
  get owesAnswers(): boolean {
    return this.started.some(({ clock, unanswered }) => unanswered > 0 && !clock.isHalted);
  }

  /** Runs a process's next work as soon as its loop turns. An unexpected error is recorded. */
  spawn(process: SimulatedProcess, what: string, work: () => Promise<unknown>): void {
    process.unanswered++;
    this.time.setTimer(0, () =>
      process.clock.deliver(() => {
        work()
          .catch((error: unknown) => this.recorder.surprise(`${process.label} ${what}`, error))
          .finally(() => process.unanswered--);
      }),
    );
  }

  /** From now on all networks to Redis have this fault and no other. */
  spoilRedis(faults: Partial<LinkFaults>): void {
    this.redisFaults = faults;
    for (const { redisLink } of this.processes) redisLink.faults = faults;
  }

  stopDatabase(): void {
    this.database.stop();
    this.notify.stop();
  }

  startDatabase(): void {
    this.database.start();
    this.notify.start();
  }

  /** Kills a process; the next one at its place starts `restartMs` later. */
  crash(process: SimulatedProcess, restartMs: number): void {
    if (process.isOver) return;
    process.crash();
    this.gone(process);
    this.restart(process, restartMs);
  }

  /** The next process at the place of one that is over starts some time later. */
  restart({ place }: SimulatedProcess, afterMs: number): void {
    this.restarts++;
    this.time.setTimer(afterMs, () => {
      this.restarts--;
      this.start(place);
    });
  }

  /** A process has ended. If it could not say goodbye, that counts as a crash. */
  gone({ label }: SimulatedProcess): void {
    this.recorder.crashed(label);
  }

  block(process: SimulatedProcess, forMs: number): void {
    this.strike(process, { name: "loop-blocked" });
    process.clock.blockLoop();
    this.time.setTimer(forMs, () => {
      process.clock.unblockLoop();
      this.relieve(process, { name: "loop-blocked" });
    });
  }

  /**
   * A fault of a node begins. It applies to every boot id that the node has meanwhile, including one that it does not
   * know yet.
   */
  strike({ label, bootId }: SimulatedProcess, fault: NodeFault): void {
    const bootIds = [...new Set([...(bootId === null ? [] : [bootId]), ...this.recorder.presentUnder(label)])];
    const faults = this.nodeFaults.get(label) ?? [];
    this.nodeFaults.set(label, [...faults, { fault, bootIds }]);
    for (const id of bootIds) this.recorder.faultBegan({ ...fault, bootId: id });
  }

  relieve({ label }: SimulatedProcess, { name }: NodeFault): void {
    const faults = this.nodeFaults.get(label) ?? [];
    const place = faults.findIndex(({ fault }) => fault.name === name);
    const [over] = place < 0 ? [] : faults.splice(place, 1);
    for (const bootId of over?.bootIds ?? []) this.recorder.faultEnded({ ...over!.fault, bootId });
  }

  telemetryOf(process: SimulatedProcess): Telemetry {
    return {
      emit: (event: TelemetryEvent) => {
        this.recorder.tell(process.label, event);
        this.onEvent(process, event);
        if (event.name !== "cluster.heartbeat.degraded" && event.name !== "cluster.node.lost") return;
        const { bootId } = process;
        if (bootId !== null) this.recorder.record({ kind: "lease-broken", bootId });
      },
    };
  }

  private blame(label: string, bootId: string): void {
    for (const { fault, bootIds } of this.nodeFaults.get(label) ?? []) {
      bootIds.push(bootId);
      this.recorder.faultBegan({ ...fault, bootId });
    }
  }

  private pauseMs(): number {
    if (this.pauses.next() >= PAUSE_SHARE) return 0;
    return this.pauses.next() * this.maxPauseMs;
  }
}
