import { Agent, request } from "node:http";

/** What a server answered. */
export interface Answer {
  status: number;
  body: string;
}

const ANSWER_LIMIT_MS = 5_000;
const MAX_SOCKETS_PER_SERVER = 128;

/** HTTP calls over kept-alive connections. No answer, or none within 5 s, longer on a slow machine, is a rejection. */
export class HttpCalls {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS_PER_SERVER });

  /** @param stretch how many times longer than on a quiet machine a limit is at present */
  constructor(private readonly stretch: () => number = () => 1) {}

  get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call(url, { method: "GET", headers });
  }

  post(url: string, body: object): Promise<Answer> {
    return this.call(url, { method: "POST", headers: { "content-type": "application/json" } }, JSON.stringify(body));
  }

  stop(): void {
    this.agent.destroy();
  }

  private call(
    url: string,
    options: { method: string; headers: Record<string, string> },
    body?: string,
  ): Promise<Answer> {
    const limitMs = ANSWER_LIMIT_MS * this.stretch();
    return new Promise((resolve, reject) => {
      const call = request(url, { ...options, agent: this.agent, timeout: limitMs }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
        response.on("error", reject);
        response.on("aborted", () => reject(new Error(`${url}: the answer broke off`)));
      });
      call.on("error", reject);
      call.on("timeout", () => call.destroy(new Error(`${url}: no answer within ${limitMs.toFixed(0)} ms`)));
      call.end(body);
    });
  }
}
