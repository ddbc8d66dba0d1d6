/** Exports a repository as a bundle, and imports untrusted bundles. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../../failure.ts'
import { inQuarantine } from '../objects/quarantine.ts'
import { failureIn, gitFailure } from '../process/git-failure.ts'
import { lines } from '../process/output.ts'
import { refError } from '../refs/names.ts'
import { branchOf, tagOf } from '../refs/ref-updates.ts'
import { resolveCommit } from '../refs/resolve.ts'
import { type Repo, run, startIn } from '../repository/repository.ts'

const deadline_ms = 6 * 60 * 60 * 1000

/**
 * Passes a bundle of all branches, all tags and HEAD to `write`, piece by piece. Returns false if there are none: git has no empty bundles.
 * @param also further commits to include with their histories, even if no ref of the bundle leads to them
 */
export async function writeBundle(
  repo: Repo,
  take: (chunk: Buffer) => Promise<void>,
  { also, signal }: { also?: Iterable<string>; signal?: AbortSignal | undefined } = {},
): Promise<boolean> {
  const any = await run(repo, ['for-each-ref', '--count=1', 'refs/heads', 'refs/tags', ownHeads])
  if (any.length === 0) return false
  const head = (await resolveCommit(repo, 'HEAD')) === null ? [] : ['HEAD']
  const args = ['bundle', 'create', '--quiet', '-', '--branches', '--tags', `--glob=${ownHeads}`, ...head, '--stdin']
  const child = startIn(repo, args, { deadline_ms, signal, low_priority: true })
  // If git ended before it read its input, its exit code gives the reason.
  const fed = pipeline(Readable.from(linesFrom(also ?? [])), child.stdin).catch(() => {})
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) await take(chunk)
  } catch (error) {
    child.kill()
    throw error
  }
  const { code, stderr } = await child.finished
  await fed
  if (code !== 0) throw gitFailure(args, code, stderr)
  return true
}

/** Refs of merge requests keep their commits when a branch is deleted. Whoever reads the bundle creates refs of its own. */
const ownHeads = 'refs/merge-requests/*/head'

function* linesFrom(oids: Iterable<string>): Generator<string> {
  for (const oid of oids) yield `${oid}\n`
}

/** Returns those of the given ids that are commits of the repository. One process. */
export async function commitsAmong(repo: Repo, oids: Iterable<string>): Promise<Set<string>> {
  const asked = [...new Set(oids)]
  if (asked.length === 0) return new Set()
  const input = asked.map((oid) => `${oid}\n`).join('')
  const kinds = lines(await run(repo, ['cat-file', '--batch-check=%(objecttype)'], { input, deadline_ms }))
  return new Set(asked.filter((_, index) => kinds[index] === 'commit'))
}

/** A faulty bundle is an error of whoever sent it: `invalid`. */
function wrong(what: string, cause?: unknown): Failure {
  return new Failure('invalid', `The repository ${what}.`, { cause })
}

interface Header {
  /** Branches and tags only, keyed by full name. */
  refs: Map<string, string>
  /** The offset of the pack, in bytes. */
  end: number
}

const maxHeader_bytes = 64 * 1024 * 1024

/**
 * Imports the objects of a bundle into a repository, checked as in a push. Returns the branches and tags that should point to them; other
 * refs are ignored. Safe to repeat. Throws `invalid` if git would reject it in a push.
 * @param open opens the bundle at the given byte offset
 */
export async function readBundle(repo: Repo, open: (start: number) => Readable, signal?: AbortSignal): Promise<Map<string, string>> {
  const { refs, end } = await readHeader(open(0))
  await inQuarantine(repo, async (env) => {
    await indexPack(repo, env, open(end), signal)
    await requireObjects(repo, env, refs)
  })
  return refs
}

async function readHeader(source: Readable): Promise<Header> {
  const parts: Buffer[] = []
  let size = 0
  let last = Buffer.alloc(0)
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      parts.push(chunk)
      // Two newlines end the header, and may arrive in different chunks.
      const at = Buffer.concat([last, chunk]).indexOf('\n\n')
      const end = size - last.length + at
      if (at >= 0) return { refs: parseHeader(asText(Buffer.concat(parts).subarray(0, end))), end: end + 2 }
      size += chunk.length
      last = Buffer.from(chunk.subarray(-1))
      if (size > maxHeader_bytes) break
    }
  } finally {
    source.destroy()
  }
  throw wrong('is not a bundle of git')
}

function asText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw wrong('has a branch or tag whose name is not in UTF-8', error)
  }
}

/** @param text the lines of the header: the first names the format, each other a ref */
export function parseHeader(text: string): Map<string, string> {
  const [format, ...rest] = text.split('\n')
  if (format !== '# v2 git bundle') throw wrong('is not a bundle of git')
  const refs = new Map<string, string>()
  for (const line of rest) {
    const [, oid, ref] = /^([0-9a-f]{40}) (.+)$/.exec(line) ?? []
    if (oid === undefined || ref === undefined) throw wrong('is not a whole bundle of git')
    if (isImportedRef(ref)) refs.set(ref, oid)
  }
  for (const ref of refs.keys())
    if (foldersOf(ref).some((folder) => refs.has(folder))) throw wrong('has refs that cannot stand beside each other')
  return refs
}

/** Lists the prefixes of `refs/heads/a/b`: `refs/heads/a`, `refs/heads` and `refs`. */
function foldersOf(ref: string): string[] {
  const parts = ref.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Whether a ref is a branch or tag, and so imported. Throws for one with a name that nobody could push. */
function isImportedRef(ref: string): boolean {
  if (branchOf(ref) === null && tagOf(ref) === null) return false
  if (refError(ref) !== null) throw wrong('has a branch or tag whose name is invalid')
  return true
}

/** Exceptions as in `receive.fsck` of git's configuration (`configuration.ts`). */
const lenient = ['badTimezone', 'missingSpaceBeforeDate', 'zeroPaddedFilemode', 'badFilemode'].map((id) => `${id}=ignore`)

/** Git checks every object, and that everything it refers to exists, before it keeps the pack. */
async function indexPack(repo: Repo, env: Record<string, string>, pack: Readable, signal: AbortSignal | undefined): Promise<void> {
  const args = ['index-pack', '--stdin', `--strict=${lenient.join(',')}`]
  const child = startIn(repo, args, { env, deadline_ms, signal, low_priority: true })
  // If git ended before it read its input, its exit code gives the reason.
  const fed = pipeline(pack, child.stdin).catch(() => {})
  child.stdout.resume()
  const { code, stderr } = await child.finished
  pack.destroy()
  await fed
  if (code === 0) return
  const failure = await failureIn(repo.dir, args, code, stderr)
  throw failure.code === 'git_failed' && code > 0 ? wrong(`holds objects that git refuses: ${errorIn(stderr)}`, failure) : failure
}

function errorIn(stderr: string): string {
  const reason = /^(?:error: object \w+: |error: |fatal: )(.*)$/m.exec(stderr)?.[1] ?? 'they cannot be read'
  return reason.slice(0, 200)
}

/** Requires that every ref leads to an object, and every branch to a commit. */
async function requireObjects(repo: Repo, env: Record<string, string>, refs: Map<string, string>): Promise<void> {
  const input = [...refs.values()].map((oid) => `${oid}\n`).join('')
  const kinds = lines(await run(repo, ['cat-file', '--batch-check=%(objecttype)'], { env, input }))
  for (const [index, ref] of [...refs.keys()].entries()) {
    const kind = kinds[index] ?? ''
    if (!/^(commit|tag|tree|blob)$/.test(kind)) throw wrong(`lacks what ${ref} leads to`)
    if (branchOf(ref) !== null && kind !== 'commit') throw wrong(`has no commit at ${ref}`)
  }
}
