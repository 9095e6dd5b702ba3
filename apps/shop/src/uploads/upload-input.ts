import { IsInt, IsString, Matches, Max, Min } from "class-validator";

const NAME = /^[\w-]{1,64}$/;
const NAME_RULE = { message: "$property must be 1 to 64 letters, digits, - or _" };
const LARGEST_CHUNK_BYTES = 1_000_000_000;

/** The body of `POST /uploads/{fileId}/chunks`. */
export class ChunkInput {
  @IsString()
  @Matches(NAME, NAME_RULE)
  userId!: string;

  @IsString()
  @Matches(NAME, NAME_RULE)
  chunkId!: string;

  @IsInt()
  @Min(1)
  @Max(LARGEST_CHUNK_BYTES)
  bytes!: number;
}

/** The path of a file. */
export class FileInput {
  @IsString()
  @Matches(NAME, NAME_RULE)
  fileId!: string;
}
