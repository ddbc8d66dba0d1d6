/** Who gets mail about what was done with an issue or a merge request: by their settings, and only if they can see it now. */
import type { LocatedProject } from '../../../access/find.ts'
import { readersOfIssue, readersOfMergeRequests } from '../../../access/readers.ts'
import type { Db } from '../../../db/database.ts'
import type { IssuableName, Issue, MergeRequest, Note, NoteableKey } from '../../../db/tables.ts'
import { participantsOf } from '../../discussion/participation/participation.ts'
import { mentionedUsers } from '../../discussion/references/references.ts'
import { readSetting, settingThatHolds } from '../../spaces/notification-settings/notification-settings.ts'
import type { Recipient } from '../outbox/outbox.ts'
import { type Notice, switchOf } from './notices.ts'
import { addressees, choicesOf, type SettingNear, settingsNear, subscribersOfLabels, watchersOf } from './recipients.queries.ts'
import { isWanted, type Tie } from './wanted.ts'

/** What the notice is about, as it is now. */
export type Subject = { project: LocatedProject; note: Note | null } & (
  | { kind: 'issue'; row: Issue }
  | { kind: 'merge_request'; row: MergeRequest }
)

/** Engines limit how many values a statement may have. */
const atOnce = 500

/** In the order of their ids. A fixed number of statements for each 500 who come into question. */
export async function recipientsOf(db: Db, notice: Notice, subject: Subject, site: string): Promise<Recipient[]> {
  const choices = await choicesOf(db, keyOf(subject))
  const ties = await tiesOf(db, notice, subject, site)
  for (const { user_id, subscribed } of choices) if (subscribed) tie(ties, 'subscription', [user_id])
  const unsubscribed = new Set(choices.filter(({ subscribed }) => !subscribed).map(({ user_id }) => user_id))
  const about = switchOf(notice)
  const found: Recipient[] = []
  const ids = [...ties.keys()].sort((a, b) => a - b)
  for (let at = 0; at < ids.length; at += atOnce) {
    const some = ids.slice(at, at + atOnce)
    const settings = await settingsNear(db, subject.project, some)
    const wanting = some.filter((id) => {
      const setting = settingOf(settings.get(id))
      const hasUnsubscribed = unsubscribed.has(id)
      return [...(ties.get(id) ?? [])].some((tie) => isWanted({ tie, setting, about, hasUnsubscribed }))
    })
    found.push(...(await whoMay(db, notice, subject, wanting, ties)))
  }
  return found
}

const keyOf = ({ kind, row }: Subject): NoteableKey<IssuableName> => ({ kind, id: row.id })

type Ties = Map<number, Set<Tie>>

function tie(ties: Ties, by: Tie, ids: Iterable<number>): void {
  for (const id of ids) ties.set(id, (ties.get(id) ?? new Set()).add(by))
}

async function tiesOf(db: Db, notice: Notice, subject: Subject, site: string): Promise<Ties> {
  const { row, project, note } = subject
  const ties: Ties = new Map()
  if (notice.act === 'unmergeable') {
    tie(ties, 'participating', [row.author_id])
    return ties
  }
  tie(ties, 'participating', await takingPart(db, subject))
  tie(ties, 'watch', await watchersOf(db, project))
  const text = notice.act === 'new' ? (row.description ?? '') : (note?.body ?? '')
  if (text !== '') {
    const { mentioned, addressed } = await mentionedUsers(db, project, notice.actor_id, text, site)
    tie(ties, 'mention', [...mentioned, ...addressed])
  }
  tie(ties, notice.act === 'new' ? 'participating' : 'mention', [...notice.assignees.added, ...notice.assignees.removed])
  if (notice.act === 'new') tie(ties, 'subscription', await subscribersOfLabels(db, keyOf(subject)))
  return ties
}

/** Whoever takes part by internal notes alone counts if they may read these: others would learn that there are some. */
async function takingPart(db: Db, subject: Subject): Promise<number[]> {
  const [open, all] = await Promise.all([false, true].map((internal) => participantsOf(db, keyOf(subject), { internal })))
  const openIds = new Set(open?.map(({ id }) => id))
  const others = (all ?? []).flatMap(({ id }) => (openIds.has(id) ? [] : [id]))
  return [...openIds, ...(others.length === 0 ? [] : await readersOf(db, subject, others, true))]
}

function readersOf(db: Db, { kind, row, project }: Subject, ids: number[], internal: boolean): Promise<number[]> {
  return kind === 'issue' ? readersOfIssue(db, project, row, ids, { internal }) : readersOfMergeRequests(db, project, ids, { internal })
}

function settingOf(nearestFirst: SettingNear[] = []) {
  const everywhere = nearestFirst.find(({ distance }) => distance === null)
  const near = nearestFirst.filter(({ distance }) => distance !== null)
  return settingThatHolds(near.map(readSetting), everywhere && readSetting(everywhere))
}

/** Without who did it, unless they asked for that, and without those who can't see it. */
async function whoMay(db: Db, notice: Notice, subject: Subject, ids: number[], ties: Ties): Promise<Recipient[]> {
  if (ids.length === 0) return []
  const readers = await readersOf(db, subject, ids, subject.note?.internal ?? false)
  if (readers.length === 0) return []
  const people = await addressees(db, readers)
  // Nobody makes an issue due.
  const isOwn = (id: number) => id === notice.actor_id && notice.act !== 'due'
  const reasonOf = (id: number): Recipient['reason'] => {
    if (isOwn(id)) return 'own_activity'
    if (notice.assignees.added.includes(id)) return 'assigned'
    return ties.get(id)?.has('mention') ? 'mentioned' : null
  }
  return people
    .filter(({ id, notified_of_own_activity }) => !isOwn(id) || notified_of_own_activity)
    .map(({ notified_of_own_activity: _, ...user }) => ({ ...user, reason: reasonOf(user.id) }))
}
