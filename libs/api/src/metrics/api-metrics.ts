import { Inject, Injectable, Optional } from "@nestjs/common";
import { type MetricReading, readingOf } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { API_NODE } from "../keys/api-node.js";
import { Callers } from "../keys/callers.js";
import { LastingLoads } from "../limits/lasting-loads.js";
import { LoadLimit } from "../limits/load-limit.js";

/** How many requests there may be, and lasting ones. */
@Injectable()
export class RequestLimits {
  constructor(
    @Inject(LoadLimit) readonly load: LoadLimit,
    @Inject(LastingLoads) readonly lasting: LastingLoads,
  ) {}
}

/** Everything that a node and its API have counted. A node without the API tells of the node and of keys alone. */
@Injectable()
export class ApiMetrics {
  constructor(
    @Inject(API_NODE) private readonly node: Pick<DelayTaskNode, "metrics">,
    private readonly callers: Callers,
    @Optional() private readonly limits?: RequestLimits,
  ) {}

  /** Never throws. */
  async read(): Promise<MetricReading[]> {
    return [...(await this.node.metrics()), ...this.ofLookUps(), ...this.ofRequests()];
  }

  private ofLookUps(): MetricReading[] {
    const { keys, sessions } = this.callers.counts;
    const both = (of: (counts: typeof keys) => number) => [
      { labels: { of: "keys" }, value: of(keys) },
      { labels: { of: "sessions" }, value: of(sessions) },
    ];
    return [
      { name: "tickwheel_api_lookups_total", samples: both(({ looked }) => looked) },
      { name: "tickwheel_api_lookups_waiting", samples: both(({ waiting }) => waiting) },
      readingOf("tickwheel_api_sessions", sessions.believed),
    ];
  }

  private ofRequests(): MetricReading[] {
    if (!this.limits) return [];
    const { load, lasting } = this.limits;
    const { answered, refused, inProgress } = load.counts;
    return [
      readingOf("tickwheel_api_requests_total", answered),
      readingOf("tickwheel_api_requests_refused_total", refused),
      readingOf("tickwheel_api_requests_in_progress", inProgress),
      readingOf("tickwheel_api_streams", lasting.total),
    ];
  }
}
