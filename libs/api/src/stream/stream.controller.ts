import { Inject, Injectable, type OnModuleInit, Query, Req, Res } from "@nestjs/common";
import { CLUSTER_OPERATIONS, readQuery, type StreamTopic, streamQuery } from "@tickwheel/contract/operations";
import { type ApiKey, TickwheelError } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { OperationRoute } from "../calls/operation-route.decorator.js";
import { API_NODE } from "../keys/api-node.js";
import { Lasting } from "../bodies/load-limit.guard.js";
import { whenOver } from "../bodies/request-end.js";
import { CurrentKey, requireClusterRight } from "../keys/api-key.guard.js";
import { Callers } from "../keys/callers.js";
import { beginEvents, type EventResponse, ResponseSink } from "./response-sink.js";
import { StreamHub } from "./stream-hub.js";
import { needsCluster } from "./stream-topics.js";

const { rows } = CLUSTER_OPERATIONS;

type StreamRequest = { headers: Record<string, unknown>; ip?: string };

/** What happens, as server-sent events: once a second what has changed. */
@Injectable()
export class StreamController implements OnModuleInit {
  constructor(
    private readonly hub: StreamHub,
    private readonly callers: Callers,
    @Inject(API_NODE) private readonly node: Pick<DelayTaskNode, "beforeStop" | "isStopping">,
  ) {}

  onModuleInit(): void {
    this.node.beforeStop(() => this.hub.endAll());
  }

  @OperationRoute(rows.stream)
  @Lasting()
  stream(
    @CurrentKey() apiKey: ApiKey,
    @Query() query: Record<string, unknown>,
    @Req() request: StreamRequest,
    @Res() response: EventResponse,
  ): void {
    const topics = topicsOf(query, apiKey);
    if (this.node.isStopping) throw new TickwheelError("STORE_UNAVAILABLE", "This node is stopping.");
    const raw = beginEvents(response);
    if (raw.req.method === "HEAD") return void raw.end();
    const findKey = async (): Promise<ApiKey | null> => (await this.callers.find(request, true))?.apiKey ?? null;
    const leave = this.hub.add({ apiKey, topics, findKey }, new ResponseSink(raw));
    whenOver(raw.req.socket, raw, leave);
  }
}

/**
 * The topics that a request asks for, each once, in its order. They may be given several times or with commas.
 *
 * @throws TickwheelError `VALIDATION_FAILED` where there is none, or one is unknown; `FORBIDDEN` where the key has not
 *   the right of the topic's call
 */
function topicsOf(query: Record<string, unknown>, apiKey: ApiKey): StreamTopic[] {
  const topics = [...new Set(readQuery(streamQuery, query).topics)];
  if (topics.some(needsCluster)) requireClusterRight(apiKey);
  return topics;
}
