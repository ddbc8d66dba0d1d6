/** Texts that people may change in a form. */
import { isUtf8 } from 'node:buffer'

/** The text of a file; null for what a form can't hold, and would write back as other bytes: other encodings than UTF-8, and NUL. */
export function textIn(data: Buffer): string | null {
  return isUtf8(data) && !data.includes(0) ? data.toString('utf8') : null
}
