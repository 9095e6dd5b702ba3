import { Get, Header, Inject, Injectable, StreamableFile } from "@nestjs/common";
import { ApiExcludeController } from "@nestjs/swagger";
import { RequireClusterRight, RequireRole } from "../keys/api-key.guard.js";
import { ApiMetrics } from "./api-metrics.js";
import { type MetricsText, metricsText } from "./metrics-text.js";

/** Whether the metrics of the process are told as well; injected. */
export const METRICS_OF_PROCESS = Symbol("tickwheel metrics of the process");

/** What this node has counted, for Prometheus. */
@Injectable()
@ApiExcludeController()
export class MetricsController {
  private readonly text: () => Promise<MetricsText>;

  constructor(metrics: ApiMetrics, @Inject(METRICS_OF_PROCESS) ofProcess: boolean) {
    this.text = metricsText(() => metrics.read(), { ofProcess });
  }

  @Get("metrics")
  @RequireRole("viewer")
  @RequireClusterRight()
  @Header("cache-control", "no-store")
  async metrics(): Promise<StreamableFile> {
    const { text, contentType } = await this.text();
    return new StreamableFile(Buffer.from(text), { type: contentType });
  }
}
