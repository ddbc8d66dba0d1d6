/** Searches the files of a commit with `git grep`, and commits by message. Both are limited in time and output. */
import { requireListableTree } from '../objects/unfolding.ts'
import { gitFailure } from '../process/git-failure.ts'
import { lines } from '../process/output.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, runCostly, startIn } from '../repository/repository.ts'

/** Consecutive lines of a file, at least one of which contains the text. */
export interface GrepHit {
  path: string
  /** Number of the first line; lines count from 1. */
  startline: number
  data: string
}

/** A literal text to find, ignoring case. */
export interface Sought {
  /** One line, not empty. */
  text: string
  /** The letters of a text, each with those that are equal if case is ignored; git's own answer would depend on the machine. */
  spellings: (text: string) => string[][]
}

export interface GrepQuery extends Sought {
  /** Lines shown before and after. */
  context: number
  limit: number
  /** Whether to include hits in this file. */
  keeps: (path: string) => boolean
}

/** The first hits, ordered by path. */
export interface Grepped {
  hits: GrepHit[]
  /** False if there may be more. */
  isWhole: boolean
}

/**
 * Pattern for `git grep -i`, which in the locale of our processes ignores case for ASCII letters only. A letter with other spellings becomes a
 * choice of them in a regular expression, so that the result doesn't depend on locales and libraries of the machine. A text without such
 * letters is passed literally.
 */
export function patternOf({ text, spellings }: Sought): { pattern: string; isFixed: boolean } {
  const choices = spellings(text).map(([first = '', ...others]) => [first, ...others.filter((other) => !isAscii(other))])
  if (choices.every((equal) => equal.length === 1)) return { pattern: text, isFixed: true }
  const parts = choices.map((equal) => (equal.length === 1 ? quoted(equal[0] as string) : `(${equal.map(quoted).join('|')})`))
  return { pattern: parts.join(''), isFixed: false }
}

const isAscii = (letter: string) => letter <= '\x7f'
const quoted = (letter: string) => letter.replace(/[\\^$.|?*+()[\]{}]/, '\\$&')

const deadline_ms = 20_000
/** Limit of lines per file: a generated file may contain the text in each of a million lines. */
const maxLines = 1_000
/** Limit of one hit: a line of a generated file may be as long as the file. */
const maxHit_bytes = 8 * 1024
const maxPending_bytes = 1024 * 1024
/** Limit of the output read for unwanted files. */
const maxOutput_bytes = 256 * 1024 * 1024

/** One process, ended at the last wanted hit. Throws `timed_out`, and as `requireListableTree` does. */
export async function grepFiles(repo: Repo, commit: string, { context, limit, keeps, ...sought }: GrepQuery): Promise<Grepped> {
  await requireListableTree(repo, commit)
  const { pattern, isFixed } = patternOf(sought)
  const flags = ['--no-color', '-i', '-I', '-n', '-z', '--full-name', isFixed ? '-F' : '-E', `-C${context}`, `--max-count=${maxLines}`]
  const args = ['grep', ...flags, '-e', pattern, commit]
  return repo.git.costly.run(repo, async () => {
    const child = startIn(repo, args, { deadline_ms })
    child.stdin.end()
    const reader = hitReader(commit, keeps)
    let read_bytes = 0
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      reader.take(chunk)
      read_bytes += chunk.length
      if (reader.hits.length >= limit || read_bytes > maxOutput_bytes) {
        child.kill()
        return { hits: reader.hits.slice(0, limit), isWhole: false }
      }
    }
    const { code, stderr } = await child.finished
    // Exit code 1 means no match.
    if (code !== 0 && (code !== 1 || stderr !== '')) throw gitFailure(args, code, stderr)
    const hits = reader.end()
    return { hits: hits.slice(0, limit), isWhole: hits.length <= limit && !reader.isCut() }
  })
}

const [newline, dash] = [10, 45]

/**
 * Parses `<commit>:<path>\0<line>\0<text>\n` for each line, with `--\n` where lines are left out. A path may contain anything but NUL, a
 * text anything but a newline.
 */
export function hitReader(commit: string, keeps: (path: string) => boolean) {
  const hits: GrepHit[] = []
  const prefix_bytes = commit.length + 1
  let pending: Buffer = Buffer.alloc(0)
  let lastPath = ''
  let linesOfFile = 0
  let isCut = false
  let current: { path: string; startline: number; next: number; parts: Buffer[]; size: number } | null = null

  const finish = () => {
    if (current && keeps(current.path)) {
      hits.push({ path: current.path, startline: current.startline, data: Buffer.concat(current.parts).toString('utf8') })
    }
    current = null
  }
  const takeLine = (path: string, number: number, text: Buffer) => {
    linesOfFile = path !== lastPath ? 1 : linesOfFile + 1
    lastPath = path
    if (linesOfFile >= maxLines && keeps(path)) isCut = true
    if (current?.path !== path || current.next !== number) finish()
    current ??= { path, startline: number, next: number, parts: [], size: 0 }
    current.next = number + 1
    const part = text.subarray(0, Math.max(maxHit_bytes - current.size, 0))
    current.parts.push(part)
    current.size += part.length
  }
  /** Reads the record at `at`. Returns the position after it; null if the record is incomplete. */
  const takeRecord = (data: Buffer, at: number): number | null => {
    if (data.length - at < 3) return null
    if (data[at] === dash && data[at + 1] === dash && data[at + 2] === newline) {
      finish()
      return at + 3
    }
    const pathEnd = data.indexOf(0, at + prefix_bytes)
    const numberEnd = pathEnd < 0 ? -1 : data.indexOf(0, pathEnd + 1)
    const end = numberEnd < 0 ? -1 : data.indexOf(newline, numberEnd + 1)
    if (end < 0) return null
    const path = data.toString('utf8', at + prefix_bytes, pathEnd)
    takeLine(path, Number(data.toString('latin1', pathEnd + 1, numberEnd)), data.subarray(numberEnd + 1, end + 1))
    return end + 1
  }
  return {
    hits,
    /** Whether git left out lines of a wanted file. */
    isCut: () => isCut,
    take(sent: Buffer) {
      // A line may be as long as its file: no more of it is kept than a hit may have, with its path.
      const rest = pending.length < maxPending_bytes ? 0 : sent.indexOf(newline)
      if (rest < 0) return
      const chunk = sent.subarray(rest)
      const data = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      let at = 0
      for (let next = takeRecord(data, at); next !== null; next = takeRecord(data, at)) at = next
      pending = data.subarray(at)
    },
    end() {
      finish()
      return hits
    },
  }
}

/** Ids of the newest commits whose message contains the text, ignoring case. One process, cached. */
export function commitsSaying(repo: Repo, from: string, sought: Sought, limit: number): Promise<string[]> {
  const { pattern, isFixed } = patternOf(sought)
  const search = ['--regexp-ignore-case', isFixed ? '--fixed-strings' : '--extended-regexp', `--grep=${pattern}`]
  return cached(
    repo.git.cache,
    `${repo.dir} saying ${from} ${limit} ${sought.text}`,
    async () => lines(await runCostly(repo, ['rev-list', `--max-count=${limit}`, ...search, from, '--'], { deadline_ms })),
    (oids) => 100 + 60 * oids.length,
  )
}
