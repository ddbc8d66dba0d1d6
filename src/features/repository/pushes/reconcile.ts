/** Settles pushes interrupted by a crash or a killed git: changes that the refs show are recorded, others are dropped. */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findProject } from '../../../access/find.ts'
import { findUser } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { PushIntent, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { isCreation, isDeletion, type RefChange } from '../../../git/refs/ref-updates.ts'
import { allRefs } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { stateOf, thisProcess } from '../../../program/process-identity.ts'
import { deleteIntent, findIntent, insertIntent, intentsBeside, listIntents, type NewIntent, pushEventsSince } from './pushes.queries.ts'
import { recordPush } from './record.ts'
import { recordWikiPush } from './wiki-record.ts'

/**
 * Maximum time between the journal entry and the end of git: an older intent of another process was abandoned, whether or not that process
 * can be checked from here. The process that runs the queue settles the intents of all.
 */
const maxPush_ms = 15 * 60_000

interface UnderWay {
  intents: Set<number>
  /** Number of intents being written: their ids are not known yet, but others may already read them from the database. */
  opening: number
}

const underWay = new WeakMap<App, UnderWay>()

function underWayIn(app: App): UnderWay {
  const found = underWay.get(app) ?? { intents: new Set<number>(), opening: 0 }
  underWay.set(app, found)
  return found
}

/** The intents of pushes that this process is handling. */
export function intentsUnderWay(app: App): Set<number> {
  return underWayIn(app).intents
}

/**
 * Writes an intent of this process, which counts as being handled from then on; no reconciliation can see it in between. `also` writes what
 * belongs to it in the same transaction.
 */
export async function openIntent(app: App, intent: NewIntent, also?: (tx: Tx) => Promise<void>): Promise<number> {
  const own = underWayIn(app)
  own.opening += 1
  try {
    const row = { ...intent, process: thisProcess }
    const opened = async (tx: Tx) => {
      await also?.(tx)
      return insertIntent(tx, row)
    }
    const id = await (also ? inTransaction(app.db, opened) : insertIntent(app.db, row))
    own.intents.add(id)
    return id
  } finally {
    own.opening -= 1
  }
}

/** Settles every intent whose process is gone: at start, and periodically. */
export async function reconcileAll(app: App): Promise<void> {
  for (const intent of await listIntents(app.db)) {
    if (isUnderWay(app, intent)) continue
    await reconcile(app, intent.id).catch((error) => app.log.error({ err: error, intent: intent.id }, 'push journal: intent not settled'))
  }
}

function isUnderWay(app: App, intent: PushIntent): boolean {
  const state = stateOf(intent.process)
  if (state === 'self') {
    const { intents, opening } = underWayIn(app)
    // The intent may be one that is being written now. The next round comes within a minute.
    return intents.has(intent.id) || opening > 0
  }
  return state !== 'dead' && Date.now() - Date.parse(intent.created_at) < maxPush_ms
}

/** Settles one intent from the present refs. */
export async function reconcile(app: App, id: number): Promise<void> {
  const intent = await findIntent(app.db, id)
  if (!intent) return
  const changes = JSON.parse(intent.changes) as RefChange[]
  await removeLocks(repoOf(app, intent), changes)
  const happened = await changesMade(app, intent, changes)
  if (happened.length > 0) await recordLate(app, intent, happened)
  else await dropIntent(app, intent, changes)
}

/** The repository of an intent. */
function repoOf(app: App, { project_id, wiki_id }: PushIntent): Repo {
  if (project_id !== null) return app.git.open(project_id)
  if (wiki_id === null) throw new Error('an intent is of a project or of a wiki')
  return app.git.openWiki(wiki_id)
}

async function recordLate(app: App, intent: PushIntent, happened: RefChange[]): Promise<void> {
  const { id, project_id, wiki_id, user_id, created_at, push_options } = intent
  if (wiki_id !== null) return recordWikiPush(app, { wiki_id, user_id }, happened, id, created_at)
  const user = (await findUser(app.db, String(user_id))) as User
  const { project } = await findProject(app.db, String(project_id), everything)
  return recordPush(app, { project, user, push_options }, happened, id, created_at)
}

/** The changes did not happen. */
async function dropIntent(app: App, { id, project_id, user_id }: PushIntent, changes: RefChange[]): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    // Nobody waits for a dropped push to a wiki.
    if ((await deleteIntent(tx, id)) && project_id !== null) await publish(tx, { type: 'push_dropped', project_id, user_id, changes })
  })
}

const settleAgain_ms = 5_000

/**
 * Settles an intent whose push has ended, and retries if that fails. Other processes leave the intent alone while this one lives. If two
 * settle it concurrently, the push is recorded once.
 */
export async function settle(app: App, id: number, until_ms = Date.now() + maxPush_ms): Promise<void> {
  try {
    await reconcile(app, id)
  } catch (error) {
    app.log.error({ err: error, intent: id }, 'push journal: intent not settled')
    if (Date.now() < until_ms) setTimeout(() => void settle(app, id, until_ms), settleAgain_ms).unref()
  }
}

/**
 * The changes that happened: their refs are in place, or a later push started from them. That push may not be recorded yet, and then its
 * intent is open. Refs are read before intents, and intents before events, so that no push is missed in between.
 */
async function changesMade(app: App, intent: PushIntent, changes: RefChange[]): Promise<RefChange[]> {
  const refs = await allRefs(repoOf(app, intent))
  const intents = await intentsBeside(app.db, intent)
  const others = byRef(intents.filter(({ id }) => id !== intent.id).flatMap((other) => JSON.parse(other.changes) as RefChange[]))
  // Pushes to wikis have no events: of several that a crash interrupted, those followed by later ones may go unrecorded.
  const { project_id } = intent
  const events = byRef(project_id === null ? [] : await pushEventsSince(app.db, project_id, intent.created_at))
  const happened: RefChange[] = []
  for (const change of changes) {
    const { before, after } = endsOf(change)
    const recorded = events.get(change.ref) ?? []
    if (recorded.some(({ before_oid, after_oid }) => after_oid === after && before_oid === before)) continue
    const left = new Set([refs.get(change.ref) ?? null, ...recorded.map(({ before_oid }) => before_oid)])
    if (hasBeenAt(after, left, (others.get(change.ref) ?? []).map(endsOf))) happened.push(change)
  }
  return happened
}

function byRef<T extends { ref: string | null }>(items: T[]): Map<string | null, T[]> {
  const groups = new Map<string | null, T[]>()
  for (const item of items) {
    const group = groups.get(item.ref)
    if (group) group.push(item)
    else groups.set(item.ref, [item])
  }
  return groups
}

interface Ends {
  before: string | null
  after: string | null
}

function endsOf(change: RefChange): Ends {
  return { before: isCreation(change) ? null : change.before, after: isDeletion(change) ? null : change.after }
}

/** Whether a ref was at `tip`: it is there now, was moved from there, or an open change leads from there to such a position. */
function hasBeenAt(tip: string | null, known: Set<string | null>, open: Ends[]): boolean {
  if (known.has(tip)) return true
  const rest = open.filter(({ before }) => before !== tip)
  return open.some(({ before, after }) => before === tip && hasBeenAt(after, known, rest))
}

/** Longer than git holds a lock, shorter than git waits for one (`core.filesRefLockTimeout`). */
const lockAge_ms = 5_000
const retry_ms = 500

/** Removes the locks that a killed git left on the refs of an intent, once they are too old to be in use. */
async function removeLocks({ dir }: Repo, changes: RefChange[]): Promise<void> {
  for (const file of [...changes.map(({ ref }) => ref), 'packed-refs', 'HEAD']) {
    const lock = join(dir, `${file}.lock`)
    for (let age = await ageOf(lock); age !== null; age = await ageOf(lock)) {
      if (age > lockAge_ms) await rm(lock, { force: true })
      else await new Promise((resolve) => setTimeout(resolve, retry_ms))
    }
  }
}

/** In milliseconds; null if there is no such file. */
async function ageOf(file: string): Promise<number | null> {
  const found = await stat(file).catch(() => null)
  return found ? Date.now() - found.mtimeMs : null
}
