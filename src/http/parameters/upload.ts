/** Files of multipart forms, as classes, so that JSON can't be mistaken for one. */
import type { TempFile } from '../../store/temp-file.ts'

/** Held in memory: avatars, attachments. */
export class Upload {
  readonly filename: string
  /** Media type as sent, not verified. */
  readonly type: string
  readonly bytes: Buffer

  constructor(filename: string, type: string, bytes: Buffer) {
    this.filename = filename
    this.type = type
    this.bytes = bytes
  }
}

/** A file on disk until the request ends. */
export class LargeUpload {
  readonly filename: string
  readonly content: TempFile

  constructor(filename: string, content: TempFile) {
    this.filename = filename
    this.content = content
  }
}
