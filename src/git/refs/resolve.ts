/** The only resolver of names: turns a branch, tag, full ref or object id that a user wrote into an object id. Git never guesses. */

import type { ObjectInfo, ObjectType } from '../process/cat-file-pool.ts'
import { command } from '../process/command.ts'
import { lines } from '../process/output.ts'
import { noteUnknown } from '../repository/ref-reads.ts'
import { type Repo, run, runCostly } from '../repository/repository.ts'
import { parseRevision } from './names.ts'
import { refState } from './ref-cache.ts'
import { isHidden } from './service-refs.ts'

/**
 * The id of the commit that a revision names; null if there is none. Annotated tags are peeled. A full object id is that object, whatever
 * refs exist. `HEAD` is the HEAD of the repository, and a name that begins with `refs/` is that ref. Everything else is looked up as a
 * branch, then as a tag, then as `heads/…` or `tags/…`, then as a shortened id, then as output of `git describe`. The first that exists
 * decides: if the branch `main` exists, `main~9` never means the tag `main`, even if the branch has fewer commits.
 */
export async function resolveCommit(repo: Repo, revision: string): Promise<string | null> {
  const parsed = parseRevision(revision)
  if (!parsed) return null
  const { name, suffix } = parsed
  if (isHidden(repo, name)) return null
  if (isFullId(name)) return (await existsAs(repo, name)) ? peel(repo, `${name.toLowerCase()}${suffix}`) : null
  const refs = refsNamed(name)
  // Read before git runs, so that the next call notices a ref that moves meanwhile.
  const state = refState(repo, refs)
  const key = `${repo.dir} resolved ${revision}`
  const known = repo.git.cache.get<{ state: string; oid: string }>(key)
  if (known && known.state === state) return known.oid
  const oid = await firstOf(repo, refs)
  if (oid === null) return resolveShortId(repo, name, suffix)
  const commit = await peel(repo, `${oid}${suffix}`)
  if (commit !== null && state !== null) repo.git.cache.set(key, { state, oid: commit }, 200)
  return commit
}

/**
 * The blob with this id; null if there is none, or several. Names of refs are not accepted. The id may be shortened to 4 digits, unless
 * merge requests are hidden: otherwise trying ids would find objects that only they lead to.
 */
export async function findBlob(repo: Repo, id: string): Promise<ObjectInfo | null> {
  if (isFullId(id)) {
    const found = await infoOf(repo, id)
    return found?.type === 'blob' && found.oid === id.toLowerCase() ? found : null
  }
  return isShortId(id) && !hidesObjects(repo) ? findByPrefix(repo, id.toLowerCase(), ['blob']) : null
}

function isFullId(name: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)
}

function isShortId(name: string): boolean {
  return /^[0-9a-f]{4,63}$/i.test(name)
}

/** The refs that a name may mean, by full name, in order of precedence. */
function refsNamed(name: string): string[] {
  if (name === 'HEAD' || name.startsWith('refs/')) return [name]
  return [`refs/heads/${name}`, `refs/tags/${name}`, ...(/^(?:heads|tags)\//.test(name) ? [`refs/${name}`] : [])]
}

function infoOf(repo: Repo, name: string): Promise<ObjectInfo | null> {
  return repo.git.objects.info(repo.dir, name)
}

/** Whether an object of this full id exists. A repository with shorter ids would take a long one for the name of a ref. */
async function existsAs(repo: Repo, id: string): Promise<boolean> {
  return (await infoOf(repo, id))?.oid === id.toLowerCase()
}

async function peel(repo: Repo, revision: string): Promise<string | null> {
  return (await infoOf(repo, `${revision}^{commit}`))?.oid ?? null
}

/** Finds the object that the first existing ref points to. */
async function firstOf(repo: Repo, refs: string[]): Promise<string | null> {
  // Requested together: one process answers them in order.
  const found = await Promise.all(refs.map((ref) => infoOf(repo, ref)))
  for (const [index, ref] of refs.entries()) {
    const oid = found[index] ? await pointedTo(repo, ref, found[index].oid) : null
    if (oid !== null) return oid
  }
  return null
}

/**
 * Git has an answer for this full name, which is right if the ref exists. Otherwise git has guessed: it took `refs/heads/main` for the tag
 * `refs/heads/main`, or `refs/heads/v1-1-gabcdef` for the commit `abcdef`. If neither guess is possible the answer is right; otherwise the
 * refs are listed, which takes a process.
 */
async function pointedTo(repo: Repo, ref: string, answer: string): Promise<string | null> {
  const guesses = [`refs/${ref}`, `refs/tags/${ref}`, `refs/heads/${ref}`, `refs/remotes/${ref}`, `refs/remotes/${ref}/HEAD`]
  const found = await Promise.all(guesses.map((guess) => infoOf(repo, guess)))
  return found.some((info) => info !== null) || describedId(ref) !== null ? listedAs(repo, ref) : answer
}

async function listedAs(repo: Repo, ref: string): Promise<string | null> {
  const full = ref === 'HEAD' ? (await run(repo, command`symbolic-ref --quiet HEAD`)).toString('utf8').trim() : ref
  const listed = lines(await run(repo, command`for-each-ref --format=${'%(objectname) %(refname)'} ${full}`))
  return listed.find((line) => line.endsWith(` ${full}`))?.split(' ', 1)[0] ?? null
}

/** The shortened id at the end of output of `git describe`: `v1.0-3-gabcdef0`. */
function describedId(name: string): string | null {
  return /-g([0-9a-f]{4,64})$/i.exec(name)?.[1] ?? null
}

async function resolveShortId(repo: Repo, name: string, suffix: string): Promise<string | null> {
  // The next push may bring an object with this prefix.
  noteUnknown(repo)
  if (name.startsWith('refs/')) return null
  const id = isShortId(name) ? name : describedId(name)
  const found = id === null ? null : await findByPrefix(repo, id.toLowerCase(), ['commit', 'tag'])
  if (found === null || (hidesObjects(repo) && !(await isPublished(repo, found.oid)))) return null
  return peel(repo, `${found.oid}${suffix}`)
}

/** Whether some objects may only be read by those who know the full id. */
function hidesObjects({ showsMergeRequests }: Repo): boolean {
  return showsMergeRequests === false
}

/** Whether a branch or tag contains the commit, or the commit that the tag leads to. */
async function isPublished(repo: Repo, oid: string): Promise<boolean> {
  return (await runCostly(repo, command`for-each-ref --count=1 --contains=${oid} refs/heads refs/tags`)).length > 0
}

/** The only object of one of these types whose id has this prefix; null if there is none, or several. */
async function findByPrefix(repo: Repo, prefix: string, types: ObjectType[]): Promise<ObjectInfo | null> {
  const answer = await infoOf(repo, `${prefix}^{${types[0]}}`)
  if (answer === null) return null
  if (answer.oid.startsWith(prefix)) return answer
  // The prefix may resolve to a tag, or to a ref of that name.
  const ids = lines(await run(repo, command`rev-parse --disambiguate=${prefix}`))
  const found = await Promise.all(ids.map((id) => infoOf(repo, id)))
  const fitting = found.filter((info) => info !== null && types.includes(info.type))
  return fitting.length === 1 ? (fitting[0] ?? null) : null
}
