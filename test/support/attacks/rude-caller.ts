import { Agent, type OutgoingHttpHeaders, request } from "node:http";

/** The outcome of a rude request: the status of its answer, or that the server has ended the connection. */
export type RudeOutcome = number | "cut off";

export interface RudeRequest {
  method?: string;
  path: string;
  key?: string;
  /** Sent as fast as it is taken. */
  body?: Buffer | string;
  /** Sent after the body, a byte each time this many milliseconds have passed, without an end. */
  trickleMs?: number;
  /** Whether the answer is read to its end, as it is, without compression. */
  isRead?: boolean;
}

/** A caller that sends anything, over any number of connections, without waiting. */
export class RudeCaller {
  readonly outcomes: RudeOutcome[] = [];
  /** Bytes of all answers that were read. */
  readBytes = 0;
  private readonly agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  private readonly open = new Set<() => void>();
  private isOver = false;

  constructor(private readonly url: string) {}

  /** Sends a request; resolves when it is answered, cut off, or this caller ends it. */
  send({ method = "POST", path, key, body = "", trickleMs, isRead = false }: RudeRequest): Promise<void> {
    return new Promise((resolve) => {
      const headers: OutgoingHttpHeaders = { "content-type": "application/json" };
      if (key !== undefined) headers.authorization = `Bearer ${key}`;
      const call = request(new URL(path, this.url), { method, agent: this.agent, headers });
      let trickle: NodeJS.Timeout | undefined;
      const end = (outcome: RudeOutcome | null): void => {
        if (!this.open.delete(give)) return;
        clearInterval(trickle);
        if (outcome !== null) this.outcomes.push(outcome);
        call.destroy();
        resolve();
      };
      const give = (): void => end(null);
      this.open.add(give);
      call.on("response", (response) => {
        response.on("error", () => undefined).on("data", (part: Buffer) => (this.readBytes += part.length));
        if (isRead) response.on("end", () => end(response.statusCode!));
        else end(response.statusCode!);
      });
      call.on("error", () => end("cut off"));
      call.on("close", () => end("cut off"));
      if (body.length > 0) call.write(body);
      if (trickleMs === undefined) call.end();
      else trickle = setInterval(() => call.write(" "), trickleMs);
    });
  }

  /** Sends the same request again and again, this many at once, until `stop`. */
  keepSending(count: number, next: () => RudeRequest): void {
    const goOn = async (): Promise<void> => {
      while (!this.isOver) await this.send(next());
    };
    for (let place = 0; place < count; place++) void goOn();
  }

  /** Closes all open connections. */
  stop(): void {
    this.isOver = true;
    for (const give of this.open) give();
    this.agent.destroy();
  }

  /** How often each outcome occurred. */
  get tally(): Record<string, number> {
    const tally: Record<string, number> = {};
    for (const outcome of this.outcomes) tally[outcome] = (tally[outcome] ?? 0) + 1;
    return tally;
  }
}
