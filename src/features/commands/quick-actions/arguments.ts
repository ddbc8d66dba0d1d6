/** Parses the arguments of quick actions: `@user`, `~label`, `%milestone`, `#issue`. */
import { findProject } from '../../../access/find.ts'
import type { Config } from '../../../config.ts'
import type { Db } from '../../../db/database.ts'
import type { Issue, MergeRequest, User } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import { findIssue } from '../../planning/issues/issues.ts'
import { findMergeRequest } from '../../review/merge-requests/merge-requests.ts'
import { labelsNamed, milestoneNamed, usersByUsernames } from './arguments.queries.ts'

const maxNames = 100
const maxId = 2_147_483_647

/** Labels of the project and the groups above it: `~bug ~"in progress"`, `~12` (an id), or plain titles. */
export async function readLabels(db: Db, { project }: Actor, argument: string): Promise<Array<{ id: number; title: string }>> {
  const names = [...argument.matchAll(/~?"([^"]+)"|~?([^\s,"]+)/g)].slice(0, maxNames).map((match) => match[1] ?? match[2] ?? '')
  const ids = names.filter((name) => /^\d{1,10}$/.test(name)).map(Number)
  return labelsNamed(
    db,
    project,
    [argument.trim(), ...names],
    ids.filter((id) => id <= maxId),
  )
}

/** `%"next release"`, `%next`, `%12` (its number), or a plain title. */
export async function readMilestone(db: Db, { project }: Actor, argument: string): Promise<{ id: number; title: string } | null> {
  const [, quoted, plain] = /^%(?:"([^"]+)"|(\S+))$/.exec(argument) ?? []
  const found = await milestoneNamed(db, project, { title: quoted ?? plain ?? argument })
  const isNumber = plain !== undefined && /^\d{1,10}$/.test(plain)
  return found ?? (isNumber ? milestoneNamed(db, project, { iid: Math.min(Number(plain), maxId) }) : null)
}

/** `@user`, several of them, or `me`. */
export async function readUsers(db: Db, user: User, argument: string): Promise<Array<{ id: number; username: string }>> {
  if (/^@?me$/i.test(argument)) return [user]
  const names = argument.split(/[\s,]+/).slice(0, maxNames)
  return usersByUsernames(
    db,
    names.map((name) => name.replace(/^@/, '')).filter((name) => name !== ''),
  )
}

/** `!4`, `group/project!4`, or the URL of a merge request, if the user can see it. */
export async function readMergeRequest(
  db: Db,
  config: Pick<Config, 'url'>,
  { user, project }: Actor,
  argument: string,
): Promise<MergeRequest | null> {
  const named = readNumber(config, project, argument, /^([\w./-]*?)(?:!|\/(?:-\/)?merge_requests\/)(\d{1,10})(?:[/#?]\S*)?$/)
  const access = named && (await findProject(db, named.project, user).catch(nullIfMissing))
  return access && findMergeRequest(db, access, named.iid, user).catch(nullIfMissing)
}

/** `#4`, `group/project#4`, `project#4` in the same namespace, or the URL of an issue, if the user can see it. */
export async function readIssue(db: Db, config: Pick<Config, 'url'>, { user, project }: Actor, argument: string): Promise<Issue | null> {
  const named = readNumber(config, project, argument, /^([\w./-]*?)(?:#|\/(?:-\/)?issues\/)(\d{1,10})(?:#\S*)?$/)
  const access = named && (await findProject(db, named.project, user).catch(nullIfMissing))
  return access && findIssue(db, access, named.iid, user).catch(nullIfMissing)
}

/** Longer than the URL of anything. */
const maxReference_chars = 2_000

/** The full path of the project, and the number in it; null for any other form. */
function readNumber(config: Pick<Config, 'url'>, project: Actor['project'], argument: string, form: RegExp) {
  const written = argument.startsWith(`${config.url}/`) ? argument.slice(config.url.length + 1) : argument
  const [, path = '', number = ''] = written.length > maxReference_chars ? [] : (form.exec(written) ?? [])
  if (number === '' || Number(number) > maxId) return null
  const where = path === '' ? project.full_path : path.includes('/') ? path : `${project.namespace_full_path}/${path}`
  return { project: where, iid: Number(number) }
}
