/** The recipients of mail about a noteable: according to their settings, and only if they can see it now. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LocatedProject } from '../../../access/find.ts'
import type { Db } from '../../../db/database.ts'
import type { Note, NoteableRow } from '../../../db/tables.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { participantsOn } from '../../discussion/participation/participation.ts'
import { mentionedUsers } from '../../discussion/references/references.ts'
import { isIssuable, keyOf, kindOf } from '../../noteable-kinds.ts'
import { holderOfAddress } from '../../people/users/users.ts'
import { groupsAbove, settingsAt } from '../../spaces/notification-settings/notification-settings.ts'
import { addressees, type Recipient } from '../outbox/outbox.ts'
import { type Notice, switchOf } from './notices.ts'
import { choicesOf, subscribersOfLabels, watchersOf } from './recipients.queries.ts'
import { isWanted, type Tie } from './wanted.ts'

/** The current row of the noteable. */
export type Subject = NoteableRow & {
  project: LocatedProject
  note: Note | null
  /** The commit from git; null for other noteables, and if it is gone. */
  commit: Commit | null
}

/** The database engines limit the values of a statement, and other requests run between two batches. */
const atOnce = 250

/** Ordered by id. A fixed number of statements per 250 potential recipients. */
export async function recipientsOf(db: Db, notice: Notice, subject: Subject, site: string): Promise<Recipient[]> {
  const choices = isIssuable(subject) ? await choicesOf(db, keyOf(subject)) : []
  const ties = await tiesOf(db, notice, subject, site)
  const subscribers = choices.flatMap(({ user_id, subscribed }) => (subscribed ? [user_id] : []))
  if (!forSome.includes(notice.act)) tie(ties, 'subscription', subscribers)
  const unsubscribed = new Set(choices.filter(({ subscribed }) => !subscribed).map(({ user_id }) => user_id))
  const about = switchOf(notice)
  const found: Recipient[] = []
  const place = { project_id: subject.project.id, namespace_id: subject.project.namespace_id }
  const groups = await groupsAbove(db, place)
  const ids = [...ties.keys()].sort((a, b) => a - b)
  for (let at = 0; at < ids.length; at += atOnce) {
    // On SQLite, statements alone never yield to the event loop.
    await nextTurn()
    const some = ids.slice(at, at + atOnce)
    const settingOf = await settingsAt(db, place, groups, some)
    const wanting = some.filter((id) => {
      const setting = settingOf(id)
      const hasUnsubscribed = unsubscribed.has(id)
      return [...(ties.get(id) ?? [])].some((tie) => isWanted({ tie, setting, about, hasUnsubscribed }))
    })
    found.push(...(await whoMay(db, notice, subject, wanting, ties)))
  }
  return found
}

/** Acts that only concern the users whom they name, the author, or who added it to a queue. */
const forSome: readonly Notice['act'][] = ['mention', 'unmergeable', 'unqueued', 'ask_approval']

type Ties = Map<number, Set<Tie>>

function tie(ties: Ties, by: Tie, ids: Iterable<number>): void {
  for (const id of ids) ties.set(id, (ties.get(id) ?? new Set()).add(by))
}

async function tiesOf(db: Db, notice: Notice, subject: Subject, site: string): Promise<Ties> {
  const { row, project, note } = subject
  const ties: Ties = new Map()
  if (notice.act === 'unmergeable' || notice.act === 'unqueued') {
    tie(ties, 'participating', row.author_id === null ? [] : [row.author_id])
    if (notice.act === 'unqueued') tie(ties, 'participating', [notice.actor_id])
    return ties
  }
  if (notice.act === 'ask_approval') {
    tie(ties, 'mention', notice.asked ?? [])
    return ties
  }
  if (notice.act === 'mention') {
    tie(ties, 'mention', await mentionedBy(db, notice, project, notice.names.map((name) => `@${name}`).join(' '), site))
    return ties
  }
  tie(ties, 'participating', await takingPart(db, subject))
  tie(ties, 'watch', await watchersOf(db, project))
  const text = notice.act === 'new' ? descriptionOf(subject) : (note?.body ?? '')
  if (text !== '') tie(ties, 'mention', await mentionedBy(db, notice, project, text, site))
  tie(ties, notice.act === 'new' ? 'participating' : 'mention', [...notice.assignees.added, ...notice.assignees.removed])
  if (notice.act === 'new' && isIssuable(subject)) tie(ties, 'subscription', await subscribersOfLabels(db, keyOf(subject)))
  return ties
}

export function descriptionOf(subject: Subject): string {
  return 'description' in subject.row ? (subject.row.description ?? '') : ''
}

async function mentionedBy(db: Db, { actor_id }: Notice, project: LocatedProject, text: string, site: string): Promise<number[]> {
  const { mentioned, addressed } = await mentionedUsers(db, project, actor_id, text, site)
  return [...mentioned, ...addressed]
}

/** Users who only took part in internal notes only count if they may read these: others would learn that such notes exist. */
async function takingPart(db: Db, subject: Subject): Promise<number[]> {
  const [open, all] = await Promise.all([false, true].map((internal) => participantsOn(db, subject, { internal })))
  const openIds = new Set(open?.map(({ id }) => id))
  if (subject.row.author_id !== null) openIds.add(subject.row.author_id)
  const committed = subject.commit && (await holderOfAddress(db, subject.commit.author.email))
  if (committed) openIds.add(committed)
  const others = (all ?? []).flatMap(({ id }) => (openIds.has(id) ? [] : [id]))
  return [...openIds, ...(others.length === 0 ? [] : await readersOf(db, subject, others, true))]
}

function readersOf(db: Db, subject: Subject, ids: number[], internal: boolean): Promise<number[]> {
  return kindOf(subject).readers(db, subject.project, subject.row, ids, { internal })
}

/** Without users who can't see it. */
async function whoMay(db: Db, notice: Notice, subject: Subject, ids: number[], ties: Ties): Promise<Recipient[]> {
  if (ids.length === 0) return []
  const readers = await readersOf(db, subject, ids, subject.note?.internal ?? false)
  if (readers.length === 0) return []
  // Due dates have no actor, and who added it to a queue did not take it out.
  const actor_id = notice.act === 'due' || notice.act === 'unqueued' ? null : notice.actor_id
  return recipientsAmong(db, readers, actor_id, (id) => {
    if (notice.assignees.added.includes(id)) return 'assigned'
    return ties.get(id)?.has('mention') ? 'mentioned' : null
  })
}

/** Leaves out readers who can't get mail, and the actor unless they want mail about their own actions. */
export async function recipientsAmong(
  db: Db,
  readers: number[],
  actor_id: number | null,
  reasonOf: (id: number) => Recipient['reason'],
): Promise<Recipient[]> {
  const people = await addressees(db, readers)
  return people
    .filter(({ id, notified_of_own_activity }) => id !== actor_id || notified_of_own_activity)
    .map(({ notified_of_own_activity: _, ...user }) => ({ ...user, reason: user.id === actor_id ? 'own_activity' : reasonOf(user.id) }))
}
