import { type ArgumentsHost, Catch, ServiceUnavailableException } from "@nestjs/common";
import { BaseExceptionFilter, HttpAdapterHost } from "@nestjs/core";
import { isOutage } from "./outage.js";

const RETRY_AFTER_S = 1;

/** Answers 503 with `Retry-After` while Postgres is away; everything else as Nest does. */
@Catch()
export class OutageFilter extends BaseExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {
    super(host.httpAdapter);
  }

  override catch(error: unknown, context: ArgumentsHost): void {
    if (!isOutage(error)) return super.catch(error, context);
    this.host.httpAdapter.setHeader(context.switchToHttp().getResponse(), "Retry-After", String(RETRY_AFTER_S));
    super.catch(new ServiceUnavailableException("The database cannot be reached; nothing was changed."), context);
  }
}
