/** A file that came in a multipart form. Classes, so that no JSON can pass for one. */
import type { TempFile } from '../store/temp-file.ts'

/** Held in memory: avatars, attachments. */
export class Upload {
  readonly filename: string
  /** The media type its sender gave it: a claim. */
  readonly type: string
  readonly bytes: Buffer

  constructor(filename: string, type: string, bytes: Buffer) {
    this.filename = filename
    this.type = type
    this.bytes = bytes
  }
}

/** Held on disk, as long as its request lasts. */
export class LargeUpload {
  readonly filename: string
  readonly content: TempFile

  constructor(filename: string, content: TempFile) {
    this.filename = filename
    this.content = content
  }
}
