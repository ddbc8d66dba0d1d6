/** Highlights files of repositories and other texts in the rendering thread, cached by blob id or a hash of the text. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import { Failure } from '../../../failure.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import { objectInfo } from '../../../git/objects/read.ts'
import { textOf } from '../../../git/objects/text-of.ts'
import { cached } from '../../../git/repository/object-cache.ts'
import type { Git, Repo } from '../../../git/repository/repository.ts'
import { within } from '../../../limits/within.ts'
import { highlightFile as highlightInThread, revealControls } from '../../instance/markdown/markdown.ts'
import { grammarOf } from './language.ts'

/** A file of a repository. */
export interface SourceFile {
  /** The id of its blob. */
  oid: string
  /** The name determines the language. */
  path: string
}

export interface HighlightedFile {
  /** The grammar of highlight.js. */
  language: string
  /** The HTML of each line, without its line break: escaped, with every element closed; its text is exactly the line. */
  lines: readonly string[]
}

interface Options {
  /** How long the page waits. What isn't ready by then is shown as plain text, but finished for the next reader. */
  deadline_ms?: number
}

/** Larger files are shown as plain text. */
const max_bytes = 512 * 1024
/** Files with longer lines, too: they are mostly data, and grammars can take very long for them. */
const maxLine_chars = 5_000
const sniffed_bytes = 8_000
const usualDeadline_ms = 2_500

/**
 * The highlighted lines of a file; null if it stays plain text: unknown language, too large, lines too long, not ready in time, or too many
 * texts of this caller wait. Reads the blob; no process besides the object reader.
 */
export async function highlightBlob(
  repo: Repo,
  file: SourceFile,
  { deadline_ms = usualDeadline_ms }: Options = {},
): Promise<HighlightedFile | null> {
  return within(deadline_ms, highlighted(repo, file))
}

/** As `highlightBlob`, for the files of one page, keyed by blob id; those that stay plain are left out. One deadline for all. */
export async function highlightBlobs(
  repo: Repo,
  files: readonly SourceFile[],
  { deadline_ms = usualDeadline_ms }: Options = {},
): Promise<Map<string, HighlightedFile>> {
  const found = new Map<string, HighlightedFile>()
  const ends_at = Date.now() + deadline_ms
  // One after another: the thread does one at a time, and waiting texts count against the caller.
  for (const file of files) {
    const left = ends_at - Date.now()
    if (left <= 0) break
    const made = found.has(file.oid) ? null : await within(left, highlighted(repo, file))
    if (made) found.set(file.oid, made)
  }
  return found
}

/** A text that isn't in a repository. */
export interface SourceText {
  path: string
  text: string
}

/** As `highlightBlobs`, for texts: in order, null for those that stay plain. `caller` is who waits for them. */
export async function highlightTexts(
  git: Git,
  caller: string,
  texts: readonly SourceText[],
  { deadline_ms = usualDeadline_ms }: Options = {},
): Promise<Array<HighlightedFile | null>> {
  const made: Array<HighlightedFile | null> = []
  const ends_at = Date.now() + deadline_ms
  for (const text of texts) {
    const left = ends_at - Date.now()
    made.push(left <= 0 ? null : await within(left, highlightedText(git, caller, text)))
  }
  return made
}

async function highlightedText(git: Git, caller: string, { path, text }: SourceText): Promise<HighlightedFile | null> {
  if (text === '' || text.length > max_bytes) return null
  const key = createHash('sha256').update(text).digest('base64')
  return linesOf(git, { caller, key, path }, text)
}

/** A line as plain text in HTML, with invisible characters shown, as in highlighted lines. */
export function plainLine(line: string): string {
  return revealControls(line.replace(/[&<>"'\r]/g, (sign) => entities[sign] as string))
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '\r': '&#13;' }

const inflate = promisify(inflateRaw)

async function highlighted(repo: Repo, { oid, path }: SourceFile): Promise<HighlightedFile | null> {
  const info = await objectInfo(repo, oid)
  if (info?.type !== 'blob' || info.size > max_bytes || info.size === 0) return null
  const data = (await readBlob(repo, oid))?.data
  if (!data || data.subarray(0, sniffed_bytes).includes(0)) return null
  return linesOf(repo.git, { caller: repo.caller ?? 'nobody', key: `${repo.dir} ${oid}`, path }, textOf(data))
}

interface Wanted {
  caller: string
  /** The key in the cache. */
  key: string
  path: string
}

async function linesOf(git: Git, { caller, key, path }: Wanted, text: string): Promise<HighlightedFile | null> {
  const language = grammarOf(path, text.slice(0, 300))
  if (language === null) return null
  const bytes = await compressedLines(git, caller, { key: `${key} lines ${language}`, language, text })
  if (bytes === null) return null
  const lines = (await inflate(bytes)).toString('utf8').split('\n')
  // The last line break begins no further line.
  if (text.endsWith('\n')) lines.pop()
  return { language, lines }
}

async function compressedLines(
  git: Git,
  caller: string,
  { key, language, text }: { key: string; language: string; text: string },
): Promise<Uint8Array | null> {
  if (hasLongLines(text)) return null
  try {
    return await cached(
      git.cache,
      key,
      () => highlightInThread(caller, text, language),
      (made) => 200 + (made?.byteLength ?? 0),
    )
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

function hasLongLines(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    if ((end < 0 ? text.length : end) - at > maxLine_chars) return true
    if (end < 0) return false
    at = end + 1
  }
  return false
}
