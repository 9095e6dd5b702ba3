import { type IncomingMessage, get } from "node:http";
import { eventually } from "./eventually.js";

/** One server-sent event. */
export interface StreamEvent<Data = unknown> {
  name: string;
  data: Data;
}

/** A stream of server-sent events that this process reads. */
export class EventStream {
  readonly events: StreamEvent[] = [];
  isOver = false;
  private text = "";

  private constructor(private readonly response: IncomingMessage) {
    response.setEncoding("utf8");
    response.on("data", (text: string) => this.take(text));
    response.on("close", () => (this.isOver = true));
    response.on("error", () => (this.isOver = true));
  }

  /** Opens one; a refused one has its status and no event. */
  static open(url: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
    return new Promise((resolve, reject) =>
      get(url, { headers, agent: false }, (response) => resolve(new EventStream(response))).on("error", reject),
    );
  }

  get status(): number {
    return this.response.statusCode!;
  }

  get headers(): IncomingMessage["headers"] {
    return this.response.headers;
  }

  /** The data of all events of a name so far. */
  of<Data>(name: string): Data[] {
    return this.events.filter((event) => event.name === name).map(({ data }) => data as Data);
  }

  /** The data of the first event of a name that fits, when it is there. */
  async seen<Data>(name: string, fits: (data: Data) => boolean = () => true): Promise<Data> {
    return eventually(() => {
      const found = this.of<Data>(name).find(fits);
      if (found === undefined) throw new Error(`no such event "${name}" among ${JSON.stringify(this.events)}`);
      return found;
    });
  }

  async over(): Promise<void> {
    await eventually(() => {
      if (!this.isOver) throw new Error("the stream goes on");
    });
  }

  close(): void {
    this.response.destroy();
  }

  private take(text: string): void {
    const parts = (this.text + text).split("\n\n");
    this.text = parts.pop()!;
    for (const part of parts) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
      this.events.push({ name: name ?? "", data: JSON.parse(data ?? "null") });
    }
  }
}
