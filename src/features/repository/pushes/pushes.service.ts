/**
 * Every ref change goes through the same steps: check, write an intent to the journal, update the refs, record the push. With the journal,
 * a push survives a crash of this process: `reconcile.ts` finds out what became of each intent.
 */
import { refusalOfUser } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { Tx } from '../../../db/database.ts'
import { asStorageFailure } from '../../../db/storage-failure.ts'
import { Failure, forbidden } from '../../../failure.ts'
import { isDeletion, moveRefs, type RefChange } from '../../../git/refs/ref-updates.ts'
import { allRefs } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { ReceiveHandlers } from '../../../git/wire/hooks.ts'
import { type Pusher, pushOptionsSealedFor } from './pusher.ts'
import type { NewIntent } from './pushes.queries.ts'
import { intentsUnderWay, openIntent, settle } from './reconcile.ts'
import { type PushTarget, projectTarget, type Recording, type WikiPusher, wikiTarget } from './targets.ts'

interface ChangeOptions {
  /** Writes rows in the transaction that records the push. If the database is full, the refs are reset. */
  also?: ((tx: Tx) => Promise<void>) | undefined
  /**
   * Writes rows in the transaction that opens the intent. They are completed together with it, by a subscriber of `refs_pushed` or
   * `push_dropped`, also after a crash.
   */
  atOpening?: ((tx: Tx) => Promise<void>) | undefined
  /** Whether branches may lose commits, if their protection allows that. */
  is_forced?: boolean
  /** Whether the right to merge into the branches is enough. */
  is_merge?: boolean
  /** Whether they are copied from another repository: push rules are for what people write here. */
  is_copy?: boolean
  /** As of `git push -o`. */
  push_options?: readonly string[]
}

/**
 * Changes refs for the API. Throws 403 if the pusher may change none of the project, 400 with the rule that forbids these, and if a ref has
 * moved meanwhile.
 */
export function changeRefs(app: App, pusher: Pusher, changes: RefChange[], options?: ChangeOptions): Promise<void> {
  return changeRefsOf(app, projectTarget(app, pusher), changes, options)
}

/** As `changeRefs`, for a wiki. */
export function changeWikiRefs(app: App, pusher: WikiPusher, changes: RefChange[], options?: ChangeOptions): Promise<void> {
  return changeRefsOf(app, wikiTarget(app, pusher), changes, options)
}

async function changeRefsOf(
  app: App,
  target: PushTarget,
  changes: RefChange[],
  { also, atOpening, is_forced = false, is_merge = false, is_copy = false, push_options: options = [] }: ChangeOptions = {},
): Promise<void> {
  const closed = await target.refusalOfAll()
  if (closed) throw forbidden(closed)
  const refusal = await target.refusalOf(changes, { name: 'api', is_forced, is_merge, is_copy })
  if (refusal) throw new Failure('ref_denied', refusal)
  const push_options = sealedOptions(app, options)
  const intent = await openIntent(app, { ...intentOf(target, changes), push_options }, atOpening)
  try {
    await moveRefs(target.repo, changes)
    await recordOrUndo(app, target, changes, { intent, also, push_options })
  } catch (error) {
    await settle(app, intent)
    throw error
  } finally {
    intentsUnderWay(app).delete(intent)
  }
}

function sealedOptions(app: App, options: readonly string[]): string | null {
  return options.length === 0 ? null : app.secrets.seal(JSON.stringify(options), pushOptionsSealedFor)
}

/** The hooks of a push through git: checks the proposed changes, and records the received ones. */
export function openPush(app: App, pusher: Pusher): ReceiveHandlers {
  return openPushTo(app, projectTarget(app, pusher))
}

/** As `openPush`, for a wiki. */
export function openWikiPush(app: App, pusher: WikiPusher): ReceiveHandlers {
  return openPushTo(app, wikiTarget(app, pusher))
}

/** They stay in the database until pipelines have been created from them. */
const maxOptions_chars = 16_384

function openPushTo(app: App, target: PushTarget): ReceiveHandlers {
  let intent: number | null = null
  let push_options: string | null = null
  return {
    max_changes: app.config.limits.max_refs_per_push,
    async onProposed({ changes, quarantine, options }) {
      try {
        if (options.join('').length > maxOptions_chars)
          return [`Gitstead: The options of a push may have ${maxOptions_chars} characters in all.`]
        const refusal = (await refusalMeanwhile(app, target)) ?? (await target.refusalOf(changes, { name: 'git', quarantine, options }))
        if (refusal) return [`Gitstead: ${refusal}`]
        push_options = sealedOptions(app, options)
        intent = await openIntent(app, { ...intentOf(target, changes), push_options })
        return null
      } catch (error) {
        throw publicFailure(app, target, error)
      }
    },
    async onReceived(changes) {
      if (intent === null) return []
      await recordOrUndo(app, target, changes, { intent, push_options }).catch((error: unknown) => {
        throw publicFailure(app, target, error)
      })
      intentsUnderWay(app).delete(intent)
      intent = null
      // The push is recorded: what can't be told about it is no failure of it.
      const notes = await target.notesAfter().catch((error: unknown) => {
        app.log.warn({ err: error, path: target.path }, 'push: nothing told about the room that is left')
        return []
      })
      return notes.map((note) => `Gitstead: ${note}`)
    },
    onEnded() {
      if (intent === null) return
      intentsUnderWay(app).delete(intent)
      void settle(app, intent)
    },
  }
}

/** A push may take an hour: by its end the user may have been blocked. */
async function refusalMeanwhile(app: App, { user }: PushTarget): Promise<string | null> {
  const pusher = await userById(app.db, user.id)
  return pusher ? refusalOfUser(pusher) : 'Your account has been deleted.'
}

/** The error the pusher sees; its details go to the log. */
function publicFailure(app: App, { path, user }: PushTarget, thrown: unknown): Failure {
  app.log.error({ err: thrown, project: path, user: user.username }, 'push failed')
  const error = asStorageFailure(thrown)
  return error instanceof Failure ? error : new Failure('git_failed', '500 Internal Server Error', { cause: thrown })
}

/**
 * If the database is full, the refs are moved back, so that a failed push has changed nothing. If git has no space for that either, the
 * push stands: refs and journal are on disk, and `reconcile` records it later. After any other error it is unknown whether the push was
 * recorded.
 */
async function recordOrUndo(
  app: App,
  { repo, record }: PushTarget,
  changes: RefChange[],
  { intent, ...recording }: Recording & { intent: number },
): Promise<void> {
  try {
    await record(changes, intent, recording)
  } catch (error) {
    const failure = asStorageFailure(error)
    if (!(failure instanceof Failure && failure.code === 'storage_full')) throw error
    const back = changes.map(({ ref, before, after }) => ({ ref, before: after, after: before }))
    const isUndone = await moveRefs(repo, back).then(
      () => true,
      () => false,
    )
    if (isUndone || !(await haveMoved(repo, changes))) throw failure
    app.log.error({ err: error, intent }, 'push journal: push not recorded yet, the database has no room')
  }
}

async function haveMoved(repo: Repo, changes: RefChange[]): Promise<boolean> {
  const refs = await allRefs(repo)
  return changes.every((change) => (refs.get(change.ref) ?? null) === (isDeletion(change) ? null : change.after))
}

function intentOf({ user, owner }: PushTarget, changes: RefChange[]): NewIntent {
  return { ...owner, user_id: user.id, changes }
}
