/**
 * Pool of long-lived `git cat-file --batch-command` processes that answer reads in 0.1 ms, where a new process takes 4 ms. Names are
 * resolved again each time, since a cache by ref or path would need an invalidation in every process at every push; an id always means the
 * same. A reader holds files of its repository open, so it must be released before the repository is removed. Blobs above 8 MiB are
 * streamed by a process of their own.
 */
import { Failure } from '../../failure.ts'
import { ReadLimitReached, type ReadMeter } from '../../limits/read-meter.ts'
import type { GitChild, Spawn } from './run.ts'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface ObjectInfo {
  oid: string
  type: ObjectType
  /** In bytes. */
  size: number
}

export interface GitObject extends ObjectInfo {
  /** Truncated for commits and tags above 1 MiB. */
  data: Buffer
}

/** Anyone may push objects that compress well: a message of a gigabyte, a folder of ten million files. */
const maxText_bytes = 1024 * 1024
const max_bytes = 64 * 1024 * 1024

/** How many bytes of an object are kept; null if it is too large to hold. */
function bytesToKeep({ type, size }: ObjectInfo): number | null {
  if (type === 'commit' || type === 'tag') return Math.min(size, maxText_bytes)
  return size > max_bytes ? null : size
}

export interface ObjectPool {
  /** Null if there is no such object. `name` is an object id or a name validated by `names.ts`. */
  info: (dir: string, name: string) => Promise<ObjectInfo | null>
  /**
   * Throws `too_large` for a tree or blob above 64 MiB.
   * @param meter counts everything but trees, which are searched and not shown; its exceptions are passed on
   */
  contents: (dir: string, name: string, meter?: ReadMeter) => Promise<GitObject | null>
  /** Ends the process of a repository that is about to be removed. */
  release: (dir: string) => void
  close: () => void
}

interface PoolOptions {
  max_processes?: number
  /** How long an idle reader lives; Infinity in tests that count processes. */
  idle_ms?: number
  deadline_ms?: number
  /** Interval of the search for idle and stuck processes. */
  sweep_ms?: number
}

/**
 * Keeps at most `max_processes` readers, one per repository, and ends those idle for `idle_ms`. While all are busy, a request for another
 * repository waits for the first idle one.
 */
export function objectPool(start: Spawn, options: PoolOptions = {}): ObjectPool {
  const { max_processes = 100, idle_ms = 10_000, deadline_ms = 30_000, sweep_ms = 1_000 } = options
  const readers = new Map<string, Reader>()
  let waiting: Array<() => void> = []
  const sweep = setInterval(() => {
    const now = Date.now()
    for (const [dir, reader] of readers) {
      if (reader.waiting > 0 ? now - reader.progressed_at > deadline_ms : now - reader.progressed_at > idle_ms) release(dir)
    }
  }, sweep_ms)
  sweep.unref()

  function release(dir: string): void {
    const reader = readers.get(dir)
    readers.delete(dir)
    reader?.close()
    admitWaiting()
  }
  function admitWaiting(): void {
    const admitted = waiting
    waiting = []
    for (const admit of admitted) admit()
  }
  function add(dir: string): Reader {
    const onEnd = () => {
      if (readers.get(dir) === reader) readers.delete(dir)
      admitWaiting()
    }
    const reader = openReader(start, dir, { onEnd, onIdle: admitWaiting })
    readers.set(dir, reader)
    return reader
  }
  function releaseOldestIdle(): boolean {
    const idle = [...readers].filter(([, reader]) => reader.waiting === 0)
    idle.sort(([, a], [, b]) => a.progressed_at - b.progressed_at)
    const oldest = idle[0]
    if (oldest) release(oldest[0])
    return oldest !== undefined
  }
  async function ask(dir: string, word: 'info' | 'contents', name: string, meter?: ReadMeter): Promise<ObjectInfo | null> {
    if (!isAskable(name)) return null
    while (!readers.has(dir) && readers.size >= max_processes && !releaseOldestIdle()) {
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    // No await between finding and using a reader: it might be ended meanwhile.
    return (readers.get(dir) ?? add(dir)).ask(`${word} ${name}`, word === 'contents' && (meter ?? true))
  }

  return {
    info: (dir, name) => ask(dir, 'info', name),
    contents: (dir, name, meter) => ask(dir, 'contents', name, meter) as Promise<GitObject | null>,
    release,
    close() {
      clearInterval(sweep)
      for (const dir of [...readers.keys()]) release(dir)
    },
  }
}

/** Whether a name fits on one line of the protocol and can only name an object. */
function isAskable(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a newline would begin a second request, a NUL would end the name
  return /^[^-\x00-\x20\x7f][^\x00-\x1f\x7f]*$/.test(name)
}

/** The wanted part of an object: only its header, all of it, or as much as a meter allows. */
type Wanted = boolean | ReadMeter

interface Reader {
  ask: (line: string, data: Wanted) => Promise<ObjectInfo | null>
  close: () => void
  readonly waiting: number
  /** Time of the last answer or the first request, in milliseconds since the epoch. */
  readonly progressed_at: number
}

interface Question {
  data: Wanted
  resolve: (answer: ObjectInfo | null) => void
  reject: (failure: Failure | ReadLimitReached) => void
}

interface ReaderEvents {
  onIdle: () => void
  onEnd: () => void
}

/** Requests are written immediately and answered in order. */
function openReader(start: Spawn, dir: string, { onIdle, onEnd }: ReaderEvents): Reader {
  const child: GitChild = start(['cat-file', '--batch-command'], { dir })
  const questions: Question[] = []
  let progressed_at = Date.now()
  let ended = false
  const parse = answerParser((answer) => {
    progressed_at = Date.now()
    const question = questions.shift()
    if (answer instanceof ReadLimitReached) question?.reject(answer)
    else if (answer === 'too_large') question?.reject(new Failure('too_large', '413 The answer of the repository is too large'))
    else question?.resolve(answer)
    if (questions.length === 0) onIdle()
  })
  child.stdout.on('data', (chunk: Buffer) => parse(chunk, () => questions[0]?.data ?? false))
  const fail = (cause: unknown) => {
    ended = true
    onEnd()
    for (const question of questions.splice(0)) question.reject(new Failure('git_failed', '500 Internal Server Error', { cause }))
  }
  child.finished.then(({ code, stderr }) => fail(new Error(`cat-file ended with ${code}: ${stderr}`)), fail)

  return {
    ask(line, data) {
      return new Promise((resolve, reject) => {
        if (ended) return reject(new Failure('git_failed', '500 Internal Server Error'))
        if (questions.length === 0) progressed_at = Date.now()
        questions.push({ data, resolve, reject })
        child.stdin.write(`${line}\n`)
      })
    },
    close() {
      if (questions.length > 0) child.kill()
      else child.stdin.end()
    },
    get waiting() {
      return questions.length
    },
    get progressed_at() {
      return progressed_at
    },
  }
}

type ParseChunk = (chunk: Buffer, wanted: () => Wanted) => void

/**
 * Splits the output of cat-file into answers: a header line, and with content its bytes and a newline. Bytes beyond the limit are dropped.
 */
export function answerParser(onAnswer: (answer: ObjectInfo | GitObject | 'too_large' | ReadLimitReached | null) => void): ParseChunk {
  let head: Buffer = Buffer.alloc(0)
  let info: ObjectInfo | undefined
  let data: Buffer[] = []
  let missing = 0
  let room = 0
  let beyond: ReadLimitReached | null = null

  function expect(answer: ObjectInfo, data: true | ReadMeter): void {
    info = answer
    missing = answer.size + 1
    beyond = data === true ? null : limitReached(data, answer)
    room = beyond ? 0 : (bytesToKeep(answer) ?? 0)
  }
  function takeData(chunk: Buffer): Buffer {
    const part = chunk.subarray(0, missing)
    if (room > 0) data.push(part.subarray(0, room))
    room -= part.length
    missing -= part.length
    if (missing === 0 && info) {
      const kept = bytesToKeep(info)
      const whole = data.length === 1 ? (data[0] as Buffer) : Buffer.concat(data)
      const answer = beyond ?? (kept === null ? 'too_large' : { ...info, data: whole.subarray(0, kept) })
      info = undefined
      data = []
      onAnswer(answer)
    }
    return chunk.subarray(part.length)
  }
  return (chunk, wanted) => {
    let rest = chunk
    while (rest.length > 0) {
      if (info) {
        rest = takeData(rest)
        continue
      }
      const newline = rest.indexOf(10)
      if (newline < 0) {
        head = Buffer.concat([head, rest])
        return
      }
      const line = Buffer.concat([head, rest.subarray(0, newline)]).toString('utf8')
      head = Buffer.alloc(0)
      rest = rest.subarray(newline + 1)
      const answer = parseHeader(line)
      const data = answer && wanted()
      if (answer && data) expect(answer, data)
      else onAnswer(answer)
    }
  }
}

/** Counts an object by its header, before any of it is kept. */
function limitReached(meter: ReadMeter, info: ObjectInfo): ReadLimitReached | null {
  if (info.type === 'tree') return null
  try {
    meter.take(bytesToKeep(info) ?? 0)
    return null
  } catch (error) {
    if (error instanceof ReadLimitReached) return error
    throw error
  }
}

/** Parses `<oid> <type> <size>`; anything else (`… missing`, `… ambiguous`) means that there is no such object. */
function parseHeader(line: string): ObjectInfo | null {
  const match = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/.exec(line)
  return match ? { oid: match[1] as string, type: match[2] as ObjectType, size: Number(match[3]) } : null
}
