/** The commits that a push brings: those that no branch and no tag has yet, and the files that each of them writes. */
import { setImmediate as turn } from 'node:timers/promises'
import { type Commit, parseCommit } from '../objects/parse.ts'
import { withQuarantine } from '../objects/quarantine.ts'
import { gitFailure } from '../process/git-failure.ts'
import { type Repo, startIn } from '../repository/repository.ts'
import { signatureTypesIn } from './signature.ts'

export interface NewCommit extends Commit {
  isSigned: boolean
  /** Whether its message goes on beyond what was read of it. */
  isCut: boolean
}

export interface NewFile {
  /** The commit that writes it. */
  commit: string
  /** Bytes that aren't UTF-8 are replaced. */
  path: string
  oid: string
  /** Whether no parent of the commit has it at this path. */
  isNew: boolean
  /** Whether it only has another path than before. */
  isMoved: boolean
}

export interface Brought {
  /** Ids to which refs are about to move. */
  tips: readonly string[]
  /** The folder of objects that are not yet part of the repository. */
  quarantine: string
  /** When to stop, in milliseconds of `performance.now()`. */
  until_ms: number
}

/**
 * Excludes commits of branches and tags. Other refs don't count: those of merge requests hold what forks propose, which nobody has judged.
 */
const unknown = ['--stdin', '--not', '--branches', '--tags']
/** As `unknown`, and no ref of merge requests has it either: what the service has just written. */
const unreferenced = ['--stdin', '--not', '--all']
/** Only the beginning of a longer commit is read. */
const maxCommit_bytes = 64 * 1024

/**
 * Calls `visit` with each commit until it returns false; the newest come first. One process. Returns whether all were seen: false if the
 * time was over before.
 */
export function visitNewCommits(repo: Repo, brought: Brought, visit: (commit: NewCommit) => boolean): Promise<boolean> {
  const take = recordHeads(maxCommit_bytes, (record, isCut) => visit(commitIn(record, isCut)))
  return stream(repo, ['rev-list', '--header', ...unknown], brought, take)
}

/** The ids of commits that no ref of any kind has: for changes by the API, what the service has written for them. One process. */
export async function unreferencedCommits(repo: Repo, brought: Brought): Promise<Set<string>> {
  const found = new Set<string>()
  const take = recordHeads(100, (record) => found.add(record.toString('latin1').trim()).size > 0, 10)
  await stream(repo, ['rev-list', ...unreferenced], brought, take)
  return found
}

/**
 * As `visitNewCommits`, with each file that a commit adds, changes or moves. Of a merge only the files count that differ from those of all
 * its parents. Submodules are left out.
 */
export function visitNewFiles(repo: Repo, brought: Brought, visit: (file: NewFile) => boolean): Promise<boolean> {
  const args = ['log', '-z', '--raw', '-r', '-c', '-M100%', '--no-abbrev', '--no-ext-diff', '--format=%H', ...unknown]
  return stream(repo, args, brought, fileReader(visit))
}

/** Takes a piece of the output; false ends the command. */
type Take = (chunk: Buffer) => Promise<boolean>

/** After so long others have their turn, also between two records of one piece: judging one may take long. */
const slice_ms = 10

async function stream(repo: Repo, args: string[], { tips, quarantine, until_ms }: Brought, take: Take): Promise<boolean> {
  return repo.git.costly.run(repo, async () => {
    const deadline_ms = Math.max(until_ms - performance.now(), 1)
    // An early end may leave the command in the middle of a long walk, so its own deadline comes later than ours.
    const child = startIn(repo, args, { env: withQuarantine(repo, quarantine), deadline_ms: 2 * deadline_ms })
    const ending = setTimeout(() => child.kill(), deadline_ms)
    child.stdin.end(`${tips.join('\n')}\n`)
    let isEnough = false
    try {
      for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
        isEnough = !(await take(chunk))
        if (isEnough || performance.now() > until_ms) break
      }
    } finally {
      clearTimeout(ending)
    }
    const isLate = performance.now() > until_ms
    if (isEnough || isLate) {
      child.kill()
      return isEnough
    }
    const { code, stderr } = await child.finished
    if (code !== 0) throw gitFailure(args, code, stderr)
    return true
  })
}

/** Splits records, of each of which the beginning is kept: anybody may push a message of a gigabyte. */
function recordHeads(max_bytes: number, onRecord: (record: Buffer, isCut: boolean) => boolean, end = 0): Take {
  let parts: Buffer[] = []
  let size = 0
  let started = performance.now()
  const keep = (part: Buffer) => {
    if (size < max_bytes) parts.push(part.subarray(0, max_bytes - size))
    size += part.length
  }
  return async (chunk) => {
    let at = 0
    for (let found = chunk.indexOf(end); found >= 0; found = chunk.indexOf(end, at)) {
      keep(chunk.subarray(at, found))
      const goesOn = onRecord(Buffer.concat(parts), size > max_bytes)
      parts = []
      size = 0
      at = found + 1
      if (!goesOn) return false
      if (performance.now() - started < slice_ms) continue
      await turn()
      started = performance.now()
    }
    if (at < chunk.length) keep(Buffer.from(chunk.subarray(at)))
    return true
  }
}

/** Git writes the id on a line of its own, and four spaces before each line of the message. */
export function commitIn(record: Buffer, isCut: boolean): NewCommit {
  const line = record.indexOf(10)
  const data = record.subarray(line + 1)
  const commit = parseCommit(record.toString('latin1', 0, Math.max(line, 0)), data)
  const message = commit.message.replace(/^ {4}/gm, '')
  return { ...commit, message, isSigned: signatureTypesIn(data).length > 0, isCut }
}

/** Longer paths than any that git checks out. */
const maxPath_bytes = 8 * 1024

/**
 * Reads `<id>\0` of each commit, and for each of its files `:<modes> <ids> <status>\0<path>\0`, with as many colons, modes, ids and letters
 * as the commit has parents; a file that was moved has two paths.
 */
export function fileReader(visit: (file: NewFile) => boolean): Take {
  let commit = ''
  let file: Omit<NewFile, 'path' | 'commit'> | null = null
  let paths = 0
  return recordHeads(maxPath_bytes, (record) => {
    if (paths > 0) {
      paths -= 1
      return paths > 0 || file === null || visit({ commit, path: record.toString('utf8'), ...file })
    }
    const text = record.toString('latin1').trim()
    if (!text.startsWith(':')) {
      if (text !== '') commit = text
      return true
    }
    const parents = text.lastIndexOf(':') + 1
    const words = text.slice(parents).split(' ')
    const [mode, oid, status = ''] = [words[parents], words[2 * parents + 1], words.at(-1)]
    const isMoved = status.startsWith('R')
    paths = parents === 1 && isMoved ? 2 : 1
    const isFile = mode?.startsWith('1') && mode !== '160000' && oid !== undefined
    file = isFile ? { oid, isNew: /^A+$/.test(status) || isMoved, isMoved } : null
    return true
  })
}
