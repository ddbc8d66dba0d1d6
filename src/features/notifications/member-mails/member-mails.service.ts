/**
 * Writes mail about members: to new members, to users whose request was denied, and to those who decide on requests. Not to users with
 * level `disabled`.
 */
import { findGroup, findProject } from '../../../access/find.ts'
import { roleOf } from '../../../access/levels.ts'
import { userById } from '../../../access/users.ts'
import { pageUrl } from '../../../addresses/links.ts'
import { groupAddress, membersAddress, projectAddress } from '../../../addresses/places.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { html } from '../../../html/untranslated.ts'
import { unlinked } from '../../../text/unlinked.ts'
import { findMember, type Place } from '../../spaces/members/members.ts'
import { groupsAbove, type PlaceBelow, settingsAt } from '../../spaces/notification-settings/notification-settings.ts'
import { locateProject } from '../../spaces/projects/projects.ts'
import { addressees, mailIn } from '../outbox/outbox.ts'
import { decidersOf } from './member-mails.queries.ts'

export interface MemberNews {
  /** `added` and `approved`: the user has become a member. */
  news: 'added' | 'approved' | 'requested' | 'denied'
  place: Place
  user_id: number
  at: string
}

/** Limit of users who decide; others see requests on the page of members. */
const maxDeciders = 10

/** Writes nothing if it is no longer true. */
export async function mailMember(app: App, told: MemberNews): Promise<void> {
  const user = await userById(app.db, told.user_id)
  const below = await placeBelow(app.db, told.place)
  if (!user || !below) return
  const ids = told.news === 'requested' ? await decidersOf(app.db, below, maxDeciders) : [user.id]
  const settingOf = await settingsAt(app.db, below, await groupsAbove(app.db, below), ids)
  const readers = await addressees(
    app.db,
    ids.filter((id) => settingOf(id).level !== 'disabled'),
  )
  for (const reader of readers) {
    const seen = await seenBy(app.db, told.place, (await userById(app.db, reader.id)) as User)
    const said = seen && (await sentence(app.db, told, user, seen))
    if (!said) continue
    const isProject = seen.kind === 'project'
    const home = isProject ? projectAddress(seen.row) : groupAddress(seen.row.full_path)
    const key = `member:${told.news}:${seen.kind} ${seen.row.id}:${user.id}:${told.at}`
    const content = {
      key,
      from_name: told.news === 'requested' ? unlinked(user.name) : 'Gitstead',
      subject: said.subject,
      text: said.text,
      html: html`<p>${said.text}</p>`.text,
      url: pageUrl(app.config, told.news === 'requested' ? membersAddress(seen) : home),
      message_id: `${key.replaceAll(/[^\w]+/g, '_')}@${app.config.hostname}`,
      in_reply_to: null,
      headers: isProject
        ? { 'X-GitLab-Project': seen.row.name, 'X-GitLab-Project-Id': String(seen.row.id), 'X-GitLab-Project-Path': seen.row.full_path }
        : {},
      issue_id: null,
      merge_request_id: null,
    }
    await inTransaction(app.db, (tx) => mailIn(tx, content, [{ ...reader, reason: null }]))
  }
}

interface Seen {
  kind: 'project' | 'group'
  row: { id: number; name: string; full_path: string }
}

async function placeBelow(db: Db, place: Place): Promise<PlaceBelow | null> {
  if ('namespace_id' in place) return { project_id: null, namespace_id: place.namespace_id }
  const project = await locateProject(db, place.project_id).catch(nullIfMissing)
  return project ? { project_id: project.id, namespace_id: project.namespace_id } : null
}

/** Null if the reader can't see it: a denied request may be for something that is private by now. */
async function seenBy(db: Db, place: Place, reader: User): Promise<Seen | null> {
  try {
    if ('project_id' in place) return { kind: 'project', row: (await findProject(db, String(place.project_id), reader)).project }
    return { kind: 'group', row: (await findGroup(db, String(place.namespace_id), reader)).group }
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}

async function sentence(
  db: Db,
  { news, place }: MemberNews,
  user: User,
  { kind, row }: Seen,
): Promise<{ subject: string; text: string } | null> {
  const what = `the ${kind} ${row.full_path}`
  if (news === 'requested') {
    const who = `${unlinked(user.name)} (@${unlinked(user.username)})`
    return { subject: `Request for access to ${row.full_path}`, text: `${who} asks for access to ${what}.` }
  }
  if (news === 'denied')
    return { subject: `Access to ${row.full_path} denied`, text: `Your request for access to ${what} has been denied.` }
  const member = await findMember(db, place, user.id)
  if (!member) return null
  const role = roleOf(member.access_level)
  return news === 'approved'
    ? {
        subject: `Access to ${row.full_path} granted`,
        text: `Your request for access to ${what} has been granted. Your role there is ${role}.`,
      }
    : { subject: `You are a member of ${row.full_path}`, text: `You have been added to ${what}. Your role there is ${role}.` }
}
