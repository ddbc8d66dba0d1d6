/** Texts that can be edited in a form. */
import { isUtf8 } from 'node:buffer'

/** The text of a file; null if a form would change its bytes: encodings other than UTF-8, and NUL. */
export function textIn(data: Buffer): string | null {
  return isUtf8(data) && !data.includes(0) ? data.toString('utf8') : null
}
