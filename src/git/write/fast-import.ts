/**
 * Creates commits in a bare repository, with files by `git fast-import`: no working tree, no index, and no ref moves.
 *
 * One process for a commit of any size. A temporary index takes three and a file with every path of the tree; `hash-object` and `mktree` take one
 * for each object. fast-import insists on a branch: its name is random and reset in the same stream, so no ref moves before the journal knows. It
 * checks no paths: `isWritablePath` is their only judge.
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

/** One step from the tree of the first parent to that of the new commit; steps are taken in their order. */
export type FileChange =
  /** `content` is called when it is written, so that not all of them are in memory at once. */
  | { kind: 'write'; path: string; mode: FileMode; content: () => Buffer }
  /** Puts an object there that is in the repository already. */
  | { kind: 'place'; path: string; mode: FileMode; oid: string }
  | { kind: 'delete'; path: string }

export interface Person {
  name: string
  email: string
}

export interface NewCommit {
  /** Commit ids; none for a root. */
  parents: string[]
  author: Person & { date?: Date }
  committer: Person
  message: string
  /** The id of the tree to start from; that of the first parent when absent. */
  tree?: string
  changes?: FileChange[]
}

/**
 * Writes the commit and everything in it, flushed to disk, and returns its id. No ref points to it yet.
 * Paths must have been validated by `isWritablePath`. One process; none where a tree that is there is all it has.
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

/** A failed fast-import leaves a crash report in the repository, and names it in its error. */
async function removeReport({ dir }: Repo, error: unknown): Promise<void> {
  const [name] = /fast_import_crash_\d+/.exec(String((error as { cause?: unknown }).cause)) ?? []
  if (name !== undefined) await rm(join(dir, name), { force: true })
}

/** The input of fast-import. The branch that it requires is reset before it would be written. */
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

/** Git takes a name and an address without brackets and line breaks, and no time before 1970; a name must not be empty. */
export function signature({ name, email }: Person, date = new Date()): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they would end the line or the name
  const clean = (words: string) => words.replace(/[<>\x00-\x1f\x7f]/g, '').trim()
  return `${clean(name) || 'unknown'} <${clean(email)}> ${Math.max(0, Math.floor(date.getTime() / 1000))} +0000`
}
