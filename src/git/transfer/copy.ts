/** The parts of a repository that a backup copies: its refs at one moment, and its object files. */
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { looseFolders } from '../maintenance/repository-stats.ts'
import { lines } from '../process/output.ts'
import { captureIn, type Repo, repositoryFolders, run } from '../repository/repository.ts'

export interface RefState {
  /** The target of HEAD, `refs/heads/main`; an object id if it names no ref. */
  head: string
  /** Object ids, keyed by full ref name. */
  refs: Map<string, string>
  /** Symbolic refs other than HEAD. */
  symbolic: Map<string, string>
}

const deadline_ms = 10 * 60_000
const format = '--format=%(objectname) %(refname) %(symref)'

/** Reads all refs. Throws `git_failed` if one of them is broken, since git silently omits broken refs from its lists. */
export async function readRefState(repo: Repo): Promise<RefState> {
  const head = (await readFile(join(repo.dir, 'HEAD'), 'utf8')).trim().replace(/^ref: /, '')
  if (head === '') throw broken('HEAD is empty')
  const { output, stderr } = await captureIn(repo, ['for-each-ref', format], { deadline_ms })
  if (stderr !== '') throw broken(stderr.trim())
  const state: RefState = { head, refs: new Map(), symbolic: new Map() }
  for (const line of lines(output)) {
    // Ref names contain no spaces.
    const [oid = '', ref = '', target = ''] = line.split(' ')
    if (target === '') state.refs.set(ref, oid)
    else state.symbolic.set(ref, target)
  }
  return state
}

function broken(what: string): Failure {
  return new Failure('git_failed', what)
}

/** Contents of a packed-refs file with these refs. Git adds the peeled ids of tags when it packs the refs again. */
export function packedRefs(refs: Map<string, string>): string {
  const sorted = [...refs].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return `# pack-refs with: sorted \n${sorted.map(([ref, oid]) => `${oid} ${ref}\n`).join('')}`
}

/** Object ids by ref name, parsed from the format of `packedRefs`. */
export function parsePackedRefs(text: string): Map<string, string> {
  const found = text.split('\n').filter((line) => /^[0-9a-f]{40} /.test(line))
  return new Map(found.map((line) => [line.slice(41), line.slice(0, 40)]))
}

/**
 * Paths of loose objects and packs, relative to the repository. Packs come last, each before its index: housekeeping moves objects from
 * loose files to packs, and adds before it removes.
 */
export async function listObjectFiles({ dir }: Pick<Repo, 'dir'>): Promise<string[]> {
  const objects = join(dir, 'objects')
  const found: string[] = []
  for (const folder of (await looseFolders(objects)).sort()) {
    const names = await readdir(join(objects, folder)).catch(emptyIfGone)
    found.push(...names.filter((name) => /^[0-9a-f]{38}$/.test(name)).map((name) => join('objects', folder, name)))
  }
  const order = (name: string) => name.replace(/\.pack$/, '').replace(/\.idx$/, '.z')
  const packs = (await readdir(join(objects, 'pack')).catch(emptyIfGone)).filter((name) =>
    /^pack-[0-9a-f]+\.(pack|idx|rev|mtimes)$/.test(name),
  )
  return [...found, ...packs.sort((a, b) => (order(a) < order(b) ? -1 : 1)).map((name) => join('objects', 'pack', name))]
}

function emptyIfGone(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}

/** Creates the folders without which git doesn't recognize a repository. */
export async function makeRepositoryFolders(dir: string): Promise<void> {
  for (const folder of repositoryFolders) await mkdir(join(dir, folder), { recursive: true })
}

/** The ids of those objects that the repository lacks. One process. */
export async function missingObjects(repo: Repo, oids: Iterable<string>): Promise<string[]> {
  const input = [...new Set(oids)].map((oid) => `${oid}\n`).join('')
  if (input === '') return []
  const output = await run(repo, ['cat-file', '--batch-check=%(objecttype)'], { input, deadline_ms, low_priority: true })
  return lines(output)
    .filter((line) => line.endsWith(' missing'))
    .map((line) => line.slice(0, 40))
}

const fsckDeadline_ms = 6 * 3_600_000

/** Checks that everything reachable from refs exists. Returns the errors of git. */
export async function connectivityFaults(repo: Repo): Promise<string[]> {
  const args = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress', '--no-reflogs']
  const options = { deadline_ms: fsckDeadline_ms, low_priority: true, accept: [...Array(256).keys()] }
  const { output, code, stderr } = await captureIn(repo, args, options)
  if (code === 0) return []
  const errors = [...lines(output), ...lines(Buffer.from(stderr))].filter((line) => !line.startsWith('notice:'))
  return errors.length > 0 ? errors : [`git fsck ended with ${code}`]
}

/** Packs the refs of a repository that is not in use; git then records what each tag leads to. */
export async function packRefs(repo: Repo): Promise<void> {
  await run(repo, ['pack-refs', '--all'], { deadline_ms, low_priority: true })
}
