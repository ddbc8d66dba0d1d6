/** Compares refs with the events of pushes: no push that was acknowledged before the snapshot may be missing. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAncestor } from '../git/history/ancestry.ts'
import type { Git } from '../git/repository/repository.ts'
import { missingObjects, parsePackedRefs } from '../git/transfer/copy.ts'
import { readLines } from './files.ts'
import type { Manifest } from './manifest.ts'
import type { Progress } from './progress.ts'
import { repositoryList, type SavedRepository } from './repositories.ts'
import { repositoryIn } from './source.ts'
import { recordsIn } from './tables.ts'

/** Projects compared in one pass through the events. */
const projectsAtOnce = 20_000

export async function compareWithEvents(git: Git, folder: string, manifest: Manifest, progress: Progress): Promise<void> {
  let some: number[] = []
  for await (const { project_id, wiki_id, absent } of readLines<SavedRepository>(join(folder, repositoryList))) {
    // Pushes to wikis have no events.
    if (absent || wiki_id !== undefined) continue
    some.push(project_id)
    if (some.length < projectsAtOnce) continue
    await compareSome(git, folder, manifest, some, progress)
    some = []
  }
  await compareSome(git, folder, manifest, some, progress)
}

/** The sum of the events of one ref. */
export interface Pushed {
  last: string | null
  /** How many more events led to an object than away from it: 1 for the current one, if no event is missing. */
  balance: Map<string | null, number>
}

/** The refs of these projects according to the events of a generation. */
export async function pushedIn(
  folder: string,
  manifest: Pick<Manifest, 'tables'>,
  ids: number[],
): Promise<Map<number, Map<string, Pushed>>> {
  const projects = new Map(ids.map((id) => [id, new Map<string, Pushed>()]))
  for await (const { project_id, ref, action, before_oid, after_oid } of recordsIn(folder, manifest, 'events')) {
    const refs = projects.get(Number(project_id))
    if (!refs || action !== 'pushed' || typeof ref !== 'string') continue
    const pushed = refs.get(ref) ?? { last: null, balance: new Map() }
    refs.set(ref, pushed)
    pushed.last = after_oid as string | null
    add(pushed.balance, before_oid as string | null, -1)
    add(pushed.balance, pushed.last, 1)
  }
  return projects
}

/** The commit of a ref after all its events, which may be recorded in another order than they happened. */
export function tipOf({ last, balance }: Pushed): string | null {
  if (balance.size === 0 || (balance.get(last) ?? 0) > 0) return last
  return [...balance].find(([, count]) => count > 0)?.[0] ?? null
}

async function compareSome(git: Git, folder: string, manifest: Manifest, ids: number[], progress: Progress): Promise<void> {
  const projects = await pushedIn(folder, manifest, ids)
  // Pushes in progress are settled at the first start.
  for await (const { project_id, changes } of recordsIn(folder, manifest, 'push_intents')) {
    for (const { ref } of JSON.parse(String(changes)) as Array<{ ref: string }>) projects.get(Number(project_id))?.delete(ref)
  }
  for (const [id, refs] of projects) if (refs.size > 0) await compareProject(git, folder, id, refs, progress)
}

function add(balance: Pushed['balance'], oid: string | null, count: number): void {
  const sum = (balance.get(oid) ?? 0) + count
  if (sum === 0) balance.delete(oid)
  else balance.set(oid, sum)
}

async function compareProject(git: Git, folder: string, id: number, pushed: Map<string, Pushed>, progress: Progress): Promise<void> {
  const repo = repositoryIn(git, folder, { project_id: id })
  const refs = parsePackedRefs(await readFile(join(repo.dir, 'packed-refs'), 'utf8').catch(() => ''))
  for (const [ref, events] of pushed) {
    const { last } = events
    const tip = refs.get(ref) ?? null
    if (tip === last || tip === tipOf(events)) continue
    const where = `repository of project ${id}: ${ref} is ${tip === null ? 'missing' : `at ${tip}`}, its last event tells of ${last ?? 'its deletion'}`
    const isLost = last !== null && (tip === null || (await missingObjects(repo, [last])).length > 0 || (await isAncestor(repo, tip, last)))
    // Refs moved without Gitstead leave no event, nor do pushes of a user who was deleted with all contributions.
    if (isLost) progress.fault(where)
    else progress.warn(where)
  }
}
