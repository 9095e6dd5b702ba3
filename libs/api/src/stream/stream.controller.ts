import { Get, Inject, Injectable, type OnModuleInit, Query, Req, Res } from "@nestjs/common";
import { ApiQuery, ApiResponse, ApiTags } from "@nestjs/swagger";
import { type ApiKey, TickwheelError } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { API_NODE } from "../keys/api-node.js";
import { Lasting } from "../bodies/load-limit.guard.js";
import { whenOver } from "../bodies/request-end.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import { Callers } from "../keys/callers.js";
import { ApiCall } from "../openapi/api-call.decorator.js";
import { beginEvents, type EventResponse, ResponseSink } from "./response-sink.js";
import { StreamHub } from "./stream-hub.js";
import { topicsOf } from "./stream-request.js";
import { TOPIC_NAMES } from "./stream-topics.js";

type StreamRequest = { headers: Record<string, unknown> };

const EVENTS =
  "First `hello` with `{ at, node, topics }`, `node` for keys with the right `cluster`. Then each second `tick` with `{ at }`, and for each topic that has changed since it was sent an event of its name with the answer of its call. `problem` with `{ topic, problem }`: the topic fails. `end` with `{ code, detail }`: the key or the session is over, or the node stops; the connection is closed behind it.";

/** What happens, as server-sent events: once a second what has changed. */
@Injectable()
@ApiTags("Cluster")
export class StreamController implements OnModuleInit {
  constructor(
    private readonly hub: StreamHub,
    private readonly callers: Callers,
    @Inject(API_NODE) private readonly node: Pick<DelayTaskNode, "beforeStop" | "isStopping">,
  ) {}

  onModuleInit(): void {
    this.node.beforeStop(() => this.hub.endAll());
  }

  @Get("v1/stream")
  @Lasting()
  @ApiCall({
    summary: "Tells what changes, once a second, for as long as the connection is open",
    role: "viewer",
    answers: {},
  })
  @ApiQuery({
    name: "topics",
    description: "Separated by commas. `cluster` needs the right `cluster`.",
    required: true,
    explode: false,
    schema: { type: "array", items: { type: "string", enum: [...TOPIC_NAMES] }, minItems: 1 },
  })
  @ApiResponse({
    status: 200,
    description: EVENTS,
    content: { "text/event-stream": { schema: { type: "string" } } },
  })
  stream(
    @CurrentKey() apiKey: ApiKey,
    @Query() query: Record<string, unknown>,
    @Req() { headers }: StreamRequest,
    @Res() response: EventResponse,
  ): void {
    const topics = topicsOf(query, apiKey);
    if (this.node.isStopping) throw new TickwheelError("STORE_UNAVAILABLE", "This node is stopping.");
    const raw = beginEvents(response);
    if (raw.req.method === "HEAD") return void raw.end();
    const findKey = async (): Promise<ApiKey | null> => (await this.callers.find(headers, true))?.apiKey ?? null;
    const leave = this.hub.add({ apiKey, topics, findKey }, new ResponseSink(raw));
    whenOver(raw.req.socket, raw, leave);
  }
}
