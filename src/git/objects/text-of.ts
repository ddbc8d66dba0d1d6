/**
 * Files as text, whatever their encoding: git keeps bytes, and doesn't say. What isn't UTF-8 is read in the encoding that its bytes resemble
 * most, if they do so enough.
 */
import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'
import { decoderOf } from './encodings.ts'

/** In percent. Bytes that resemble nothing enough are UTF-8 with a few wrong ones, such as a text that was cut within a character. */
const minConfidence = 50
/** Enough to tell, in a few milliseconds. */
const maxSample_bytes = 16 * 1024

export function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  // Words in other letters tell most; with few of them, the language of the text around them does.
  const name = likeliest(foreignWords(bytes)) ?? likeliest(bytes.subarray(0, maxSample_bytes))
  return name === null ? bytes.toString('utf8') : decoderOf(name)(bytes)
}

function likeliest(sample: Buffer): string | null {
  const [first] = analyse(sample)
  return first && first.confidence > minConfidence ? first.name : null
}

/** Words with more than ASCII. White space is itself in all encodings that contain ASCII. */
function foreignWords(bytes: Buffer): Buffer {
  const words: Buffer[] = []
  let size = 0
  let start = 0
  let isForeign = false
  for (let at = 0; at <= bytes.length && size < maxSample_bytes; at += 1) {
    const byte = bytes[at] ?? 32
    if (byte > 127) isForeign = true
    if (byte > 32) continue
    const word = bytes.subarray(start, Math.min(at + 1, start + maxSample_bytes))
    if (isForeign) {
      words.push(word)
      size += word.length
    }
    start = at + 1
    isForeign = false
  }
  return Buffer.concat(words)
}
