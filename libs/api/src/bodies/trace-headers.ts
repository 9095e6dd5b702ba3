import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import type { TraceHeaders } from "@tickwheel/core";

/** The headers of a request, of which those of its trace are read. */
export const RequestTrace = createParamDecorator(
  (_data: unknown, context: ExecutionContext): TraceHeaders =>
    context.switchToHttp().getRequest<{ headers: TraceHeaders }>().headers,
);
