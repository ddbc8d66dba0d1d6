/** Versions of a merge request's diff: created with it and at each push to its source branch, before anyone reads them. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, MergeRequest, MergeRequestVersion, PendingVersion } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { isAncestor } from '../../../git/history/ancestry.ts'
import { commitRange } from '../../../git/history/commit-range.ts'
import { objectInfo } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { fetchCommit } from '../../../git/transfer/fetch-commit.ts'
import { despiteTheirLimit, ReadLimitReached } from '../../../limits/read-meter.ts'
import { enqueue } from '../../../queue/queue.ts'
import { lockMergeRequest, mayFollowSource, mergeRequestById, updateMergeRequest } from '../merge-requests/merge-requests.ts'
import { maxCommits, readVersionContents, type VersionContents } from './contents.ts'
import { differenceFrom } from './difference.ts'
import { writeRefsJob } from './refs.jobs.ts'
import { ensureRefs } from './refs.service.ts'
import { deletePending, hasApprovals, insertVersion, newestVersion, pendingOf } from './versions.queries.ts'

/** A merge request with the newest version of its diff. */
export interface CurrentVersion {
  merge_request: MergeRequest
  version: MergeRequestVersion
}

/**
 * Reads from git what a merge request between two commits changes, before the transaction that creates it. Commits of another repository
 * are first copied to that of the target; no ref points to them until `ensureRefs`.
 * @param source null if it is the repository of the target
 */
export async function prepareVersion(target: Repo, source: Repo | null, start_oid: string, head_oid: string): Promise<VersionContents> {
  if (source && source.dir !== target.dir) await fetchCommit(source, target, head_oid)
  return readVersionContents(target, start_oid, head_oid)
}

/**
 * Adds a version to a merge request. After the transaction the caller must call `ensureRefs`; if the process dies before that, a job does.
 */
export async function createVersionIn(
  tx: Tx,
  { id, head_oid }: MergeRequest,
  contents: VersionContents,
  at: Instant = now(),
): Promise<MergeRequestVersion> {
  const version = await insertVersion(tx, id, contents, at)
  // An earlier failure to merge was about other commits.
  if (head_oid !== contents.head_oid) await updateMergeRequest(tx, id, { head_oid: contents.head_oid, merge_error: null })
  await enqueue(tx, writeRefsJob, { merge_request_id: id }, { delay_ms: refsPatience_ms })
  return version
}

/** Usually whoever adds a version also writes the refs, before the job runs. */
const refsPatience_ms = 20_000

/** Limit of pushes processed at once; the next call continues. */
const maxRounds = 100

/**
 * The newest version, created now if there was a push since or there is none yet; null if the merge request was deleted, or none of its
 * commits can be read any more. Two statements and no process if nothing has moved. If git fails, for example on a full disk, it is the
 * last version that could be created; a job keeps trying.
 */
export async function currentVersion(app: App, known: MergeRequest): Promise<CurrentVersion | null> {
  let merge_request: MergeRequest | null = known
  for (let round = 0; merge_request && round < maxRounds; round += 1) {
    const { id, state }: MergeRequest = merge_request
    const version = await newestVersion(app.db, id)
    const pending: PendingVersion | null = version ? ((await pendingOf(app.db, id))[0] ?? null) : null
    if (version && (!pending || state !== 'opened')) return { merge_request, version }
    const isMade = await makeOnce(app, merge_request, version, pending).catch((error: unknown) => {
      if (!version || error instanceof ReadLimitReached) throw error
      app.log.error({ err: error, merge_request: id }, 'versions: version not made')
      return false
    })
    if (!isMade) return version ? { merge_request, version } : null
    merge_request = await mergeRequestById(app.db, id)
  }
  return null
}

const underWay = new WeakMap<App['secrets'], Map<string, Promise<boolean>>>()

/** Concurrent readers share the creation of a version. */
function makeOnce(
  app: App,
  merge_request: MergeRequest,
  last: MergeRequestVersion | null,
  pending: PendingVersion | null,
): Promise<boolean> {
  const making = underWay.get(app.secrets) ?? new Map<string, Promise<boolean>>()
  underWay.set(app.secrets, making)
  const key = `${merge_request.id} ${last?.id} ${pending?.id}`
  const found = making.get(key)
  if (found) return despiteTheirLimit(found, () => makeOnce(app, merge_request, last, pending))
  const made = makeNext(app, merge_request, last, pending).finally(() => making.delete(key))
  making.set(key, made)
  return made
}

/** Creates the version for a pending move, or the first one. False if that is impossible. */
async function makeNext(
  app: App,
  merge_request: MergeRequest,
  last: MergeRequestVersion | null,
  pending: PendingVersion | null,
): Promise<boolean> {
  const { id, source_project_id, project_id } = merge_request
  const repo = app.git.open(project_id)
  const ends = await endsOf(app, repo, merge_request, last, pending)
  if (!ends) return pending !== null && (await inTransaction(app.db, (tx) => deletePending(tx, pending.id)))
  const source = source_project_id === null || source_project_id === project_id ? null : app.git.open(source_project_id)
  const contents = await prepareVersion(
    repo,
    source && (await hasObject(source, ends.head_oid)) ? source : null,
    ends.start_oid,
    ends.head_oid,
  )
  const difference = last && (await differenceFrom(app, repo, last, contents, () => hasApprovals(app.db, id)))
  const push = last && pending?.head_oid && last.head_oid !== contents.head_oid ? await readPush(repo, last.head_oid, contents) : null
  await inTransaction(app.db, async (tx) => {
    const locked = await lockMergeRequest(tx, id)
    // It was merged meanwhile, or another process was first.
    if (!locked || (last && locked.state !== 'opened')) return
    if (pending && !(await deletePending(tx, pending.id))) return
    if ((await newestVersion(tx, id))?.id !== last?.id || !isNew(last, contents)) return
    const at = now()
    const version = await createVersionIn(tx, locked, contents, pending?.created_at ?? at)
    if (!last || !difference) return
    const moved = await updateMergeRequest(tx, id, { head_oid: contents.head_oid, ...(push && { updated_at: at }) })
    const event = { merge_request: moved, actor_id: pending?.user_id ?? moved.author_id, at, version_id: version.id }
    if (push) await publish(tx, { type: 'merge_request_pushed', ...event, ...push })
    await publish(tx, { type: 'merge_request_version_created', ...event, before_version_id: last.id, ...difference })
  })
  await ensureRefs(app, id).catch((error: unknown) => {
    app.log.error({ err: error, merge_request: id }, 'versions: refs not written yet')
  })
  return true
}

/** If a move of the target has emptied the diff, the version is kept: the merge request is about to be marked as merged. */
function isNew(last: MergeRequestVersion | null, { base_oid, start_oid, head_oid, state }: VersionContents): boolean {
  if (!last || last.head_oid !== head_oid) return true
  if (state === 'empty' && last.state !== 'empty') return false
  return last.base_oid !== base_oid || (base_oid === null && last.start_oid !== start_oid)
}

interface Ends {
  start_oid: string
  head_oid: string
}

/**
 * The commits to compare; null if one of them is unavailable, for example after another force push. If the merge request may no longer
 * follow its source, the last known commit is used.
 */
async function endsOf(
  app: App,
  repo: Repo,
  merge_request: MergeRequest,
  last: MergeRequestVersion | null,
  pending: PendingVersion | null,
): Promise<Ends | null> {
  const { project_id, source_project_id, source_branch, target_branch } = merge_request
  const follows = await mayFollowSource(app.db, merge_request)
  const source = source_project_id === null ? null : app.git.open(source_project_id)
  const tip = async () => (source ? resolveCommit(source, `refs/heads/${source_branch}`) : null)
  const isLook = pending !== null && pending.head_oid === null
  const moved_oid = follows ? await (isLook ? tip() : pending?.head_oid) : null
  const head_oid = moved_oid ?? merge_request.head_oid
  const start_oid = (await resolveCommit(repo, `refs/heads/${target_branch}`)) ?? last?.start_oid ?? null
  if (head_oid === null || start_oid === null) return null
  const isThere =
    (await hasObject(repo, head_oid)) || (source !== null && source_project_id !== project_id && (await hasObject(source, head_oid)))
  return isThere ? { start_oid, head_oid } : null
}

async function hasObject(repo: Repo, oid: string): Promise<boolean> {
  return (await objectInfo(repo, oid)) !== null
}

/** The commits that came with a push, and whether any were removed. */
async function readPush(repo: Repo, before_oid: string, { head_oid, commits }: VersionContents) {
  const [{ oids }, goesForward] = await Promise.all([
    commitRange(repo, head_oid, before_oid, maxCommits),
    isAncestor(repo, before_oid, head_oid),
  ])
  const own = new Set(commits)
  const [added_oids, existing_oids] = [oids.filter((oid) => own.has(oid)), oids.filter((oid) => !own.has(oid))]
  return { before_oid, added_oids: added_oids.reverse(), existing_oids: existing_oids.reverse(), is_forced: !goesForward }
}
