/** A file that came in a multipart form. */

/** Held in memory: avatars, attachments. A class, so that no JSON can pass for one. */
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
