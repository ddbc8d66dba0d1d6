/** Names of uploaded files: in URLs, in Markdown and in downloads; and their media types. */
import { posix } from 'node:path'

const longest_chars = 200

/** The last part of a path, reduced to letters, digits and characters that need no escaping in URLs and Markdown. */
export function safeName(sent: string | undefined): string {
  const base = posix.basename((sent ?? '').normalize('NFC').replaceAll('\\', '/'))
  const plain = base.replace(/[^\p{L}\p{N}\p{M}\p{Pc}.+-]/gu, '_').replace(/^\.+$/, '_')
  if (plain === '') return 'file'
  const ending = posix.extname(plain)
  const kept = [...ending].length < longest_chars / 2 ? ending : ''
  const stem = [...plain.slice(0, plain.length - kept.length)]
  return stem.slice(0, longest_chars - [...kept].length).join('') + kept
}

const shown = /\.(png|jpe?g|gif|bmp|tiff|mp4|m4v|mov|webm|ogv)$/i

/** Images and videos are embedded, anything else is a link; an SVG is downloaded. */
export function linkTo(name: string, url: string): { alt: string; url: string; markdown: string } {
  const alt = name.replace(shown, '')
  return { alt, url, markdown: `${alt !== name || /\.svg$/i.test(name) ? '!' : ''}[${alt}](${url})` }
}

const signatures: Array<[type: string, holds: (head: Buffer) => boolean]> = [
  ['image/png', (head) => head.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['image/jpeg', (head) => head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/gif', (head) => /^GIF8[79]a/.test(head.toString('latin1'))],
  ['image/webp', (head) => /^RIFF.{4}WEBP/s.test(head.toString('latin1'))],
]

/** Number of bytes that identify an image. */
export const sniffed_bytes = 16

/** The media type of an image that can't contain a script, from its first bytes; null for everything else. */
export function imageTypeOf(head: Buffer): string | null {
  return signatures.find(([, holds]) => holds(head))?.[0] ?? null
}
