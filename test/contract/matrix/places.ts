/** The places and callers of the matrix: a copied world, in the same state before each call. */
import type { Visibility } from '../../../src/db/tables.ts'
import { insertMember } from '../../../src/features/spaces/members/members.queries.ts'
import type { Client } from '../../support/client.ts'
import type { Forge, TestUser } from '../../support/forge.ts'
import { git } from '../../support/git.ts'
import type { ContractFixtures } from '../world/fixtures.ts'
import { openWorld, visibilities } from '../world/world.ts'
import { type Rows, readRows } from './rows.ts'
import { readState, restoreState, type State } from './state.ts'

/** Callers in ascending order of their rights. */
export const ranks = ['anybody', 'user', 'guest', 'reporter', 'developer', 'maintainer', 'owner', 'administrator'] as const
const roles = ['guest', 'reporter', 'developer', 'maintainer', 'owner'] as const
export type Rank = (typeof ranks)[number]

export interface Place extends ContractFixtures {
  /** The user in requests about members; a plain member of the group and the project. */
  bystander: TestUser
  /** When it was built. */
  state: State
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
  const changed = await changedState(known)
  if (!changed) return known
  await restoreState(known, known.state, changed, rows)
  if (!(await changedState(known))) return known
  await forge.close()
  clearStage()
  return (await stage()).places[visibility]
}

/** Its state if that is no longer the one in which it was built. */
async function changedState(place: Place): Promise<State | null> {
  if (!place.touched) return null
  const now = await readState(place)
  if (JSON.stringify(now) !== JSON.stringify(place.state)) return now
  place.touched = false
  return null
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
  return { ...place, touched: false, state: await readState(place) }
}

const levels = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const
