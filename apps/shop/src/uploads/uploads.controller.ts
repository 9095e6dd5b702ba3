import {
  Body,
  ConflictException,
  Controller,
  Delete,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  PayloadTooLargeException,
  Post,
  UseFilters,
  ValidationPipe,
} from "@nestjs/common";
import { OutageFilter } from "../orders/outage.filter.js";
import { ChunkInput, FileInput } from "./upload-input.js";
import { UploadsService } from "./uploads.service.js";

const checked = new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true });

@Controller("uploads")
@UseFilters(OutageFilter)
export class UploadsController {
  constructor(private readonly uploads: UploadsService) {}

  @Post(":fileId/chunks")
  @HttpCode(200)
  async addChunk(@Param(checked) { fileId }: FileInput, @Body(checked) input: ChunkInput): Promise<object> {
    const { userId, chunkId, bytes } = input;
    const taken = await this.uploads.addChunk({ fileId, userId, chunkId, bytes });
    if (taken.outcome === "conflict") throw new ConflictException(`The upload ${fileId} is over, or another user's.`);
    if (taken.outcome === "over_quota")
      throw new PayloadTooLargeException(`The chunk is beyond the quota of ${taken.quotaBytes} bytes.`);
    return { fileId, gatheredBytes: taken.gatheredBytes };
  }

  @Post(":fileId/completion")
  @HttpCode(200)
  async complete(@Param(checked) { fileId }: FileInput): Promise<object> {
    return (await this.uploads.complete(fileId)) ?? this.statusAfter(fileId, "completed");
  }

  @Delete(":fileId")
  async cancel(@Param(checked) { fileId }: FileInput): Promise<object> {
    return (await this.uploads.cancel(fileId)) ?? this.statusAfter(fileId, "cancelled");
  }

  @Get("accounts/:userId")
  async account(@Param("userId") userId: string): Promise<object> {
    const account = await this.uploads.account(userId);
    if (!account) throw new NotFoundException(`The user ${userId} has uploaded nothing.`);
    return account;
  }

  /** A call may be repeated: the answer is the same. */
  private async statusAfter(fileId: string, wanted: "completed" | "cancelled"): Promise<object> {
    const upload = await this.uploads.find(fileId);
    if (!upload) throw new NotFoundException(`There is no upload ${fileId}.`);
    if (upload.status !== wanted) throw new ConflictException(`The upload ${fileId} is ${upload.status}.`);
    return upload;
  }
}
