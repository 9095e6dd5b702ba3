import type { Acknowledgements } from "../histories/acknowledgements.js";
import { liveNodes, type ShopCluster } from "../cluster/shop-cluster.js";
import type { ShopRecords } from "../histories/shop-records.js";

const TERMINAL_INTERVAL_MS = 500;
const PLAIN_INTERVAL_MS = 5_000;
const CLEAR_LINE = "\r\u001b[2K";

/** How a run stands, on one line: rewritten in place on a terminal, else a line every five seconds. */
export class StatusLine {
  private timer: NodeJS.Timeout | undefined;
  private isDrawing = false;
  private readonly isTerminal = process.stdout.isTTY === true;
  private readonly startMonoMs = performance.now();

  constructor(
    private readonly cluster: ShopCluster,
    private readonly records: ShopRecords,
    private readonly log: Acknowledgements,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.draw(), this.isTerminal ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS);
  }

  /** Prints a line of its own above the status. */
  say(line: string): void {
    process.stdout.write(`${this.isTerminal ? CLEAR_LINE : ""}${line}\n`);
  }

  stop(): void {
    clearInterval(this.timer);
    if (this.timer && this.isTerminal) process.stdout.write(CLEAR_LINE);
    this.timer = undefined;
  }

  private async draw(): Promise<void> {
    if (this.isDrawing) return;
    this.isDrawing = true;
    const text = await this.text();
    this.isDrawing = false;
    if (!this.timer) return;
    const width = process.stdout.columns || 120;
    process.stdout.write(this.isTerminal ? `${CLEAR_LINE}${text.slice(0, width - 1)}` : `${text}\n`);
  }

  private async text(): Promise<string> {
    const [firing, view] = await Promise.all([this.records.firing().catch(() => null), this.cluster.view()]);
    const seconds = ((performance.now() - this.startMonoMs) / 1_000).toFixed(0).padStart(3);
    return [
      `${seconds} s`,
      `scheduled ${this.log.placedCount}`,
      `cancelled ${this.log.paidCount}`,
      `fired ${firing?.fired ?? "?"}`,
      `lateness p50 ${milliseconds(firing?.p50)} p99 ${milliseconds(firing?.p99)}`,
      `nodes ${view ? liveNodes(view) : "?"}`,
      `leader ${view?.leader?.node ?? "none"}`,
    ].join("  ");
  }
}

/** A lateness for people. */
export function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}
