import { type CanActivate, type ExecutionContext, Inject, Injectable } from "@nestjs/common";
import { type FrameworkRequest, type FrameworkResponse, rawResponse } from "./request-body.js";
import { StalledAnswers } from "./stalled-answers.js";

/**
 * Watches the answers of all our routes, with a key or without, refusals too: it stands before the guard that asks for
 * the key.
 */
@Injectable()
export class StalledAnswersGuard implements CanActivate {
  constructor(@Inject(StalledAnswers) private readonly answers: StalledAnswers) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<FrameworkRequest>();
    this.answers.watch((request.raw ?? request).socket, rawResponse(http.getResponse<FrameworkResponse>()));
    return true;
  }
}
