import type { SimulatedWire } from "./simulated-wire.js";

/**
 * A server as its clients' connections see it: up, stopped or hung. It executes what arrives one after the other.
 *
 * Stopped, it refuses connections and has reset those it had. Hung (a stopped process), its system still accepts
 * connections and takes in what arrives; all that is executed when it goes on, also for clients that have given up
 * meanwhile.
 */
export class SimulatedServer {
  private state: "up" | "stopped" | "hung" = "up";
  private backlog: (() => void)[] = [];
  private readonly wires = new Set<SimulatedWire>();

  /** @param forgotten a connection is gone; what the server kept for it goes too */
  constructor(private readonly forgotten: (wire: SimulatedWire) => void) {}

  get isStopped(): boolean {
    return this.state === "stopped";
  }

  stop(): void {
    this.state = "stopped";
    this.backlog = [];
    this.resetAll();
  }

  /** Starts it, or lets it go on. */
  start(): void {
    this.state = "up";
    const backlog = this.backlog;
    this.backlog = [];
    for (const work of backlog) work();
  }

  hang(): void {
    if (this.state === "up") this.state = "hung";
  }

  /** Breaks all connections. */
  resetAll(): void {
    for (const wire of this.wires) wire.reset();
  }

  /** For a wire: its connection is there. */
  accept(wire: SimulatedWire): void {
    this.wires.add(wire);
  }

  knows(wire: SimulatedWire): boolean {
    return this.wires.has(wire);
  }

  /** For a wire: something arrived on it. */
  serve(work: () => void): void {
    if (this.state === "up") work();
    else if (this.state === "hung") this.backlog.push(work);
  }

  /** For a wire: it was closed or reset. */
  forget(wire: SimulatedWire): void {
    if (this.wires.delete(wire)) this.forgotten(wire);
  }
}
