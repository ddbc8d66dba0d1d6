/** Acts on the references in a text: todos, participants, and notes on the things that it mentions. */
import { findProject, type LocatedProject, type ProjectAccess } from '../../../access/find.ts'
import { everything, type Viewer } from '../../../access/visible.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { Failure, invalid } from '../../../failure.ts'
import type { ReferenceKind } from '../../instance/markdown/markdown.ts'
import { isIssuable, isStored, keyOf, kindOf } from '../../noteable-kinds.ts'
import { addMentionTodosIn } from '../todos/todos.ts'
import { noteOnCommitsLater } from './commit-mentions.jobs.ts'
import { mentionedAmong, noteMentionsIn, noteMentionsInCommit } from './cross-references.service.ts'
import { addMentions, memberIdsOfGroups, memberIdsOfProject, viewerById } from './mentions.queries.ts'
import { type MentionInText, referencesIn, sameReference } from './parse.ts'
import { type Resolved, resolveReferences } from './resolve.ts'
import { peopleByPaths } from './targets.queries.ts'
import type { Written } from './written.ts'

/** Maximum number of people, issues and merge requests that one text may mention. */
const maxMentions = 500
/** Maximum number of mentions. */
const maxTimes = 5_000

const followed: ReadonlySet<ReferenceKind> = new Set(['user', 'issue', 'merge_request'])

/** The ids of the users that a text mentions. */
export interface Mentions {
  mentioned: number[]
  /** The users named at the beginning of a paragraph. */
  addressed: number[]
}

/** Throws 400 for a text with too many mentions. */
export async function followReferences(tx: Tx, written: Written, site: string): Promise<void> {
  const { on, note, author_id, text, before, at } = written
  await noteOnCommitsLater(tx, written, site)
  const found = mentionsIn(text, site, note ? 'note' : 'description')
  const known = before === null ? new Set<string>() : new Set(mentionsIn(before, site, null).map(sameReference))
  const fresh = found.filter((reference) => !known.has(sameReference(reference)))
  if (fresh.length === 0) return
  const author = written.actor?.user ?? (await viewerById(tx, author_id))
  const { project, level } = written.actor ?? (await accessOf(tx, on.row.project_id, author))
  const resolved = await resolveReferences(tx, author, project, fresh, followed, level)
  if (kindOf(on).causesTodos) {
    const mentions = await peopleAmong(tx, project, author, fresh, resolved)
    const people = [...mentions.mentioned, ...mentions.addressed]
    // Commits have no stored participants.
    if (isIssuable(on)) await addMentions(tx, keyOf(on), people, note?.internal ?? false)
    await addMentionTodosIn(tx, { on, project, note, author_id, at, ...mentions })
  }
  // That there is an internal note would be seen on the other side.
  if (note?.internal) return
  const isNew = note === null && before === null
  if (isStored(on)) return noteMentionsIn(tx, { on, project, author_id, at, isNew }, fresh, resolved)
  if (on.kind === 'commit') await noteMentionsInCommit(tx, { project, oid: on.row.oid, author_id, at }, mentionedAmong(fresh, resolved))
}

/** The project with the author's level in it; without one if they lost access while they were writing. */
async function accessOf(tx: Tx, projectId: number, author: Viewer): Promise<Pick<ProjectAccess, 'project'> & Partial<ProjectAccess>> {
  try {
    return await findProject(tx, String(projectId), author)
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'not_found')) throw error
    return { project: (await findProject(tx, String(projectId), everything)).project }
  }
}

/** The people, issues and merge requests that a text mentions. With `field`, too many are an error of this field. */
function mentionsIn(text: string, site: string, field: string | null): MentionInText[] {
  const found = new Map<string, MentionInText>()
  let times = 0
  for (const reference of referencesIn(text, site)) {
    if (!followed.has(reference.kind)) continue
    const key = sameReference(reference)
    if (!found.has(key)) found.set(key, reference)
    times += 1
    if (found.size <= maxMentions && times <= maxTimes) continue
    if (field !== null) throw invalid({ [field]: [`mentions too many people and issues (maximum is ${maxMentions})`] })
    break
  }
  return [...found.values()]
}

/** The names that a text mentions and the previous version didn't. */
export function namesAddedTo(text: string, before: string, site: string): string[] {
  if (text === before) return []
  const users = (one: string) => mentionsIn(one, site, null).filter(({ kind }) => kind === 'user')
  const known = new Set(users(before).map(sameReference))
  return users(text).flatMap((reference) => (known.has(sameReference(reference)) ? [] : [reference.name]))
}

/** The mentioned users: by name, as members of a group that the author can see, or as members of the project. */
export async function mentionedUsers(db: Db, project: LocatedProject, authorId: number, text: string, site: string): Promise<Mentions> {
  const found = mentionsIn(text, site, null)
  const author = await viewerById(db, authorId)
  return peopleAmong(db, project, author, found, await resolveReferences(db, author, project, found, followed))
}

/** The users whom a text of no project mentions: by name, or as members of a group that the author can see. Three statements. */
export async function usersNamedIn(db: Db, authorId: number, text: string, site: string): Promise<number[]> {
  const names = mentionsIn(text, site, null).flatMap(({ kind, name }) => (kind === 'user' ? name.toLowerCase() : []))
  const found = await peopleByPaths(db, await viewerById(db, authorId), [...new Set(names)])
  const ids = (kind: 'user' | 'group') => [...found.values()].flatMap((one) => (one.kind === kind ? one.id : []))
  const ofGroups = await memberIdsOfGroups(db, ids('group'))
  return [...new Set([...ids('user'), ...ofGroups.map(({ user_id }) => user_id)])]
}

async function peopleAmong(
  db: Db,
  project: LocatedProject,
  author: Viewer,
  references: MentionInText[],
  resolved: Resolved,
): Promise<Mentions> {
  const [everybody, groups, users] = [{ is: false, first: false }, new Map<number, boolean>(), new Map<number, boolean>()]
  for (const reference of references) {
    const target = resolved(reference)
    const isFirst = reference.isAddressed
    if (target?.kind === 'user') users.set(target.id, isFirst || (users.get(target.id) ?? false))
    if (target?.kind === 'group') groups.set(target.id, isFirst || (groups.get(target.id) ?? false))
    if (target?.kind === 'everybody') Object.assign(everybody, { is: true, first: everybody.first || isFirst })
  }
  const members = everybody.is ? await memberIdsOfProject(db, project) : []
  // Only members can mention all members.
  const all = author && members.includes(author.id) ? members : []
  const ofGroups = await memberIdsOfGroups(db, [...groups.keys()])
  const addressed = new Set([
    ...[...users].filter(([, isFirst]) => isFirst).map(([id]) => id),
    ...ofGroups.filter(({ group_id }) => groups.get(group_id)).map(({ user_id }) => user_id),
    ...(everybody.first ? all : []),
  ])
  const mentioned = new Set([...users.keys(), ...ofGroups.map(({ user_id }) => user_id), ...all])
  return { addressed: [...addressed], mentioned: [...mentioned].filter((id) => !addressed.has(id)) }
}
