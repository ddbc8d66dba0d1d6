/** The places and callers of the matrix: a copied world, in the same state before each call. */
import type { Visibility } from '../../../src/db/tables.ts'
import { insertMember } from '../../../src/features/spaces/members/members.queries.ts'
import type { Client } from '../../support/client.ts'
import type { Forge, TestUser } from '../../support/forge.ts'
import { git } from '../../support/git.ts'
import type { ContractFixtures } from '../world/fixtures.ts'
import { openWorld, visibilities } from '../world/world.ts'
import { putBack, type Rows, readRows } from './rows.ts'

/** Callers in ascending order of their rights. */
export const ranks = ['anybody', 'user', 'guest', 'reporter', 'developer', 'maintainer', 'owner', 'administrator'] as const
const roles = ['guest', 'reporter', 'developer', 'maintainer', 'owner'] as const
export type Rank = (typeof ranks)[number]

export interface Place extends ContractFixtures {
  /** The user in requests about members; a plain member of the group and the project. */
  bystander: TestUser
  /** Its state when it was built. */
  print: string
  /** Whether a call may have changed it since the last check. */
  touched: boolean
}

export interface Stage {
  forge: Forge
  cast: Record<Rank, Client>
  blocked: TestUser
  external: TestUser
  places: Record<Visibility, Place>
  /** Every row of the database. */
  rows: Rows
}

let current: Stage | null = null

/** The stage of this test file. */
export async function stage(): Promise<Stage> {
  current ??= await setUp()
  return current
}

/** For the next test file: the stage is closed with its file. */
export function clearStage(): void {
  current = null
}

async function setUp(): Promise<Stage> {
  const { forge, fixtures } = await openWorld()
  const user = () => forge.user()
  const members = { guest: await user(), reporter: await user(), developer: await user(), maintainer: await user(), owner: await user() }
  const built = visibilities.map(async (visibility) => [visibility, await preparePlace(fixtures[visibility], members)])
  const places = Object.fromEntries(await Promise.all(built)) as Record<Visibility, Place>
  const named = Object.fromEntries(roles.map((role) => [role, forge.as(members[role])])) as Record<(typeof roles)[number], Client>
  return {
    forge,
    cast: { anybody: forge.anonymous, user: forge.as(await user()), ...named, administrator: forge.as(forge.root) },
    blocked: await forge.user({ state: 'blocked', admin: true }),
    external: await forge.user({ external: true }),
    places,
    rows: await readRows(forge.app.db),
  }
}

/** The place with this visibility in its state before the last call, and its stage: another copy if it can't be restored. */
export async function placeWith(visibility: Visibility): Promise<Place> {
  const { places, rows, forge } = await stage()
  const known = places[visibility]
  if (await isAsBuilt(known)) return known
  await restore(known, rows)
  if (await isAsBuilt(known)) return known
  await forge.close()
  clearStage()
  return (await stage()).places[visibility]
}

async function isAsBuilt(place: Place): Promise<boolean> {
  if (place.touched && (await printOf(place)) !== place.print) return false
  place.touched = false
  return true
}

async function preparePlace(fixtures: ContractFixtures, members: Record<(typeof roles)[number], TestUser>): Promise<Place> {
  const { forge } = fixtures
  await git(fixtures.project.dir, 'tag', 'unprotected', 'main')
  const bystander = await forge.user()
  const { db } = forge.app
  for (const [table, { id }] of [
    ['projects', fixtures.project],
    ['namespaces', fixtures.group],
  ] as const)
    await db.updateTable(table).set({ request_access_enabled: true }).where('id', '=', id).execute()
  const enrol = (user: TestUser, role: keyof typeof levels) =>
    insertMember(db, { namespace_id: fixtures.group.id }, { user_id: user.id, access_level: levels[role], expires_at: null })
  for (const role of roles) await enrol(members[role], role)
  await enrol(bystander, 'guest')
  await insertMember(db, { project_id: fixtures.project.id }, { user_id: bystander.id, access_level: levels.guest, expires_at: null })
  // Not the default branch, which nobody may delete.
  const values = { ...fixtures.values, user_id: String(bystander.id), branch: 'feature/one' }
  const place = { ...fixtures, bystander, insider: bystander, values }
  return { ...place, touched: false, print: await printOf(place) }
}

/** Restores what a call can change: deleted rows, members, and columns. */
async function restore({ forge, project, group, bystander, print }: Place, rows: Rows): Promise<void> {
  const { db } = forge.app
  const [projectRow, groupRow, userRow, memberRows] = JSON.parse(print) as [object, object, object, Array<Record<string, number>>]
  try {
    await putBack(db, rows)
    await db.transaction().execute(async (tx) => {
      await tx.updateTable('projects').set(projectRow).where('id', '=', project.id).execute()
      await tx.updateTable('namespaces').set(groupRow).where('id', '=', group.id).execute()
      await tx.updateTable('users').set(userRow).where('id', '=', bystander.id).execute()
      await tx
        .deleteFrom('members')
        .where((eb) => eb.or([eb('namespace_id', '=', group.id), eb('project_id', '=', project.id)]))
        .execute()
      await tx
        .insertInto('members')
        .values(memberRows as never)
        .execute()
    })
  } catch {
    // Rows that they refer to are gone: another world is opened then.
  }
}

const levels = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const

/** The state that the next caller must find unchanged. */
async function printOf({ forge, project, group, bystander, values }: Omit<Place, 'print' | 'touched'>): Promise<string> {
  const { db } = forge.app
  const awards = [
    'award_id',
    'note_award_id',
    'merge_request_award_id',
    'merge_request_note_award_id',
    'snippet_award_id',
    'snippet_note_award_id',
    'commit_note_award_id',
  ].map((name) => Number(values[name]))
  const snippets = ['snippet_id', 'personal_snippet_id'].map((name) => Number(values[name]))
  const rows = [
    await db
      .selectFrom('projects')
      .select(['archived', 'visibility', 'namespace_id', 'path', 'forked_from_id', 'default_branch', 'import_status'])
      .where('id', '=', project.id)
      .executeTakeFirst(),
    await db.selectFrom('namespaces').select(['visibility', 'path', 'parent_id']).where('id', '=', group.id).executeTakeFirst(),
    await db.selectFrom('users').select(['state', 'admin', 'username', 'external']).where('id', '=', bystander.id).executeTakeFirst(),
    await db
      .selectFrom('members')
      .select(['id', 'project_id', 'namespace_id', 'user_id', 'access_level', 'created_at'])
      .where((eb) => eb.or([eb('namespace_id', '=', group.id), eb('project_id', '=', project.id)]))
      .orderBy('id')
      .execute(),
    await db.selectFrom('snippets').select('id').where('id', 'in', snippets).orderBy('id').execute(),
    await db.selectFrom('ci_schedules').select('id').where('id', '=', Number(values.pipeline_schedule_id)).execute(),
    await db.selectFrom('ci_environments').select('id').where('id', '=', Number(values.environment_id)).execute(),
    // Deleted with their target: an issue, a note.
    await db.selectFrom('award_emoji').select('id').where('id', 'in', awards).orderBy('id').execute(),
    await db
      .selectFrom('ci_runner_projects')
      .selectAll()
      .where('runner_id', 'in', [Number(values.runner_id), Number(values.second_runner_id)])
      .orderBy('project_id')
      .execute(),
    // Under two addresses.
    await db.selectFrom('notes').select('id').where('id', '=', Number(values.commit_note_id)).execute(),
  ]
  return JSON.stringify(rows)
}
