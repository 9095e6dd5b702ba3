import { Get, Header, Inject, Injectable, StreamableFile } from "@nestjs/common";
import { RequireClusterRight, RequireRole } from "../keys/api-key.guard.js";
import { type Clock, SystemClock } from "@tickwheel/core";
import { ApiMetrics } from "./api-metrics.js";
import { MetricsWriter } from "./metrics-writer.js";

/** Whether the metrics of the process are told as well; injected. */
export const METRICS_OF_PROCESS = Symbol("tickwheel metrics of the process");

/** What this node has counted, for Prometheus. */
@Injectable()
export class MetricsController {
  private readonly writer: MetricsWriter;

  constructor(
    metrics: ApiMetrics,
    @Inject(METRICS_OF_PROCESS) ofProcess: boolean,
    @Inject(SystemClock) clock: Pick<Clock, "setTimer">,
  ) {
    this.writer = new MetricsWriter(() => metrics.read(), { ofProcess, clock });
  }

  @Get("metrics")
  @RequireRole("viewer")
  @RequireClusterRight()
  @Header("cache-control", "no-store")
  async metrics(): Promise<StreamableFile> {
    const { text, contentType } = await this.writer.text();
    return new StreamableFile(text, { type: contentType });
  }
}
