/**
 * Creates commits in a bare repository with `git fast-import`: no working tree, no index, and no ref moves. One process for a commit of any
 * size; a temporary index would take three and a file with every path of the tree, `hash-object` and `mktree` one process per object.
 * fast-import requires a branch: its name is random, and it is reset in the same stream, so no ref moves before the journal knows. It
 * doesn't validate paths, so `isWritablePath` must.
 */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { writeRawCommit } from '../objects/loose-object.ts'
import { noObject } from '../objects/object-id.ts'
import { inQuarantine } from '../objects/quarantine.ts'
import { type Repo, run } from '../repository/repository.ts'

export type FileMode = '100644' | '100755' | '120000' | '160000'

/** One step from the tree of the first parent to that of the new commit; steps are applied in order. */
export type FileChange =
  /** `content` is called when it is written, so that only one of them is in memory. */
  | { kind: 'write'; path: string; mode: FileMode; content: () => Buffer }
  /** Puts an object of the repository at a path. */
  | { kind: 'place'; path: string; mode: FileMode; oid: string }
  | { kind: 'delete'; path: string }

export interface Person {
  name: string
  email: string
}

export interface NewCommit {
  /** Commit ids; empty for a root commit. */
  parents: string[]
  author: Person & { date?: Date }
  committer: Person
  message: string
  /** Id of the tree to start from; by default that of the first parent. */
  tree?: string
  changes?: FileChange[]
}

/**
 * Writes the commit and everything in it, flushed to disk, and returns its id. No ref points to it yet. Paths must have been validated by
 * `isWritablePath`. One process; none if the commit only consists of an existing tree.
 */
export async function writeCommit(repo: Repo, commit: NewCommit): Promise<string> {
  const { tree, changes = [] } = commit
  if (tree !== undefined && changes.length === 0) return inQuarantine(repo, (env) => writeRawCommit(env, rawCommit(tree, commit)))
  const args = ['fast-import', '--quiet', '--cat-blob-fd=1']
  const output = await inQuarantine(repo, (env) => run(repo, args, { env, input: orders(commit), deadline_ms })).catch(async (error) => {
    await removeReport(repo, error)
    throw error
  })
  const oid = output.toString('latin1').trim()
  if (!/^[0-9a-f]{40,64}$/.test(oid))
    throw new Failure('git_failed', '500 Internal Server Error', { cause: new Error(`fast-import returned ${oid}`) })
  return oid
}

function rawCommit(tree: string, { parents, author, committer, message }: NewCommit): Buffer {
  const heads = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${signature(author, author.date)}`,
    `committer ${signature(committer)}`,
  ]
  return Buffer.from(`${heads.join('\n')}\n\n${message}`)
}

const deadline_ms = 120_000

/** A failed fast-import leaves a crash report in the repository, which its error names. */
async function removeReport({ dir }: Repo, error: unknown): Promise<void> {
  const [name] = /fast_import_crash_\d+/.exec(String((error as { cause?: unknown }).cause)) ?? []
  if (name !== undefined) await rm(join(dir, name), { force: true })
}

/** The input of fast-import. The required branch is reset before git would write it. */
function* orders(commit: NewCommit): Iterable<Buffer> {
  const branch = `refs/unborn/${randomUUID()}`
  yield text(`feature done\ncommit ${branch}\nmark :1\n`)
  yield text(`author ${signature(commit.author, commit.author.date)}\ncommitter ${signature(commit.committer)}\n`)
  yield* data(Buffer.from(commit.message))
  const [first, ...others] = commit.parents
  if (first !== undefined) yield text(`from ${first}\n`)
  for (const other of others) yield text(`merge ${other}\n`)
  if (commit.tree !== undefined) yield text(`M 040000 ${commit.tree} ""\n`)
  for (const change of commit.changes ?? []) yield* order(change)
  yield text(`\nget-mark :1\nreset ${branch}\nfrom ${noObject}\n\ndone\n`)
}

function* order(change: FileChange): Iterable<Buffer> {
  const path = quoted(change.path)
  if (change.kind === 'delete') yield text(`D ${path}\n`)
  else if (change.kind === 'place') yield text(`M ${change.mode} ${change.oid} ${path}\n`)
  else {
    yield text(`M ${change.mode} inline ${path}\n`)
    yield* data(change.content())
  }
}

function* data(bytes: Buffer): Iterable<Buffer> {
  yield text(`data ${bytes.length}\n`)
  yield bytes
  yield text('\n')
}

function text(line: string): Buffer {
  return Buffer.from(line)
}

function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
}

/** Git requires a nonempty name, name and address without angle brackets and line breaks, and no time before 1970. */
export function signature({ name, email }: Person, date = new Date()): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters would end the line or the name
  const clean = (words: string) => words.replace(/[<>\x00-\x1f\x7f]/g, '').trim()
  return `${clean(name) || 'unknown'} <${clean(email)}> ${Math.max(0, Math.floor(date.getTime() / 1000))} +0000`
}
