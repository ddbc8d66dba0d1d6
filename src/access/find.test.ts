/** Every way to ask for access agrees: one thing at a time and in lists, by the rule in code and by its SQL. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../test/support/forge.ts'
import { now } from '../db/instants.ts'
import type { Visibility } from '../db/tables.ts'
import { insertMember } from '../features/spaces/members/members.queries.ts'
import { asId, canDownload, canPush, findGroup, findProject, type LocatedGroup } from './find.ts'
import { accessLevels, type Role, visibilities } from './levels.ts'
import { withMemberships } from './memberships.ts'
import {
  codeVisibleTo,
  confidentialVisibleTo,
  groupsOfMember,
  groupsVisibleTo,
  mergeRequestsVisibleTo,
  projectsOfMember,
  projectsVisibleTo,
  type Viewer,
} from './visible.ts'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

async function share({ id }: TestProject, group: LocatedGroup, role: Role, expires_at: string | null = null): Promise<void> {
  const values = { project_id: id, group_id: group.id, access_level: accessLevels[role], expires_at, created_at: now() }
  await forge.app.db.insertInto('group_shares').values(values).execute()
}

/** The level in the project; null when it isn't found. */
async function levelIn(project: { id: number }, viewer: Viewer): Promise<number | null> {
  return findProject(forge.app.db, String(project.id), viewer).then(
    ({ level }) => level,
    (error: { status: number; body: unknown }) => {
      expect([error.status, error.body]).toEqual([404, { message: '404 Project Not Found' }])
      return null
    },
  )
}

async function levelOfGroup(group: { id: number }, viewer: Viewer): Promise<number | null> {
  return findGroup(forge.app.db, String(group.id), viewer).then(
    ({ level }) => level,
    (error: { status: number; body: unknown }) => {
      expect([error.status, error.body]).toEqual([404, { message: '404 Group Not Found' }])
      return null
    },
  )
}

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

const enrol = (place: { project_id: number } | { namespace_id: number }, user: TestUser, role: Role, expires_at: string | null = null) =>
  insertMember(forge.app.db, place, { user_id: user.id, access_level: accessLevels[role], expires_at })

test.each(Object.entries(accessLevels).filter(([role]) => role !== 'owner'))(
  'a direct member has the level of the membership: %s',
  async (role, level) => {
    const user = await forge.user()
    const project = await forge.project({ files: null, [role]: user })
    expect(await levelIn(project, user)).toBe(level)
  },
)

test('a membership in a group counts in the projects of the group and of every group below', async () => {
  const user = await forge.user()
  const top = await forge.group({ reporter: user })
  const middle = await forge.group({ parent: top })
  const bottom = await forge.group({ parent: middle })
  const beside = await forge.group()
  for (const group of [top, middle, bottom]) {
    expect(await levelIn(await forge.project({ files: null, group }), user)).toBe(accessLevels.reporter)
    expect(await levelOfGroup(group, user)).toBe(accessLevels.reporter)
  }
  expect(await levelIn(await forge.project({ files: null, group: beside }), user)).toBeNull()
})

test('a membership doesn’t count above its group', async () => {
  const user = await forge.user()
  const top = await forge.group()
  const below = await forge.group({ parent: top, owner: user })
  expect(await levelIn(await forge.project({ files: null, group: top }), user)).toBeNull()
  expect(await levelIn(await forge.project({ files: null, group: below }), user)).toBe(accessLevels.owner)
})

test('the highest of several memberships counts', async () => {
  const user = await forge.user()
  const top = await forge.group({ maintainer: user })
  const below = await forge.group({ parent: top, guest: user })
  const project = await forge.project({ files: null, group: below, developer: user })
  expect(await levelIn(project, user)).toBe(accessLevels.maintainer)
})

test('a membership ends on its day', async () => {
  const user = await forge.user()
  const [ended, endsToday, lasts] = [
    await forge.project({ files: null }),
    await forge.project({ files: null }),
    await forge.project({ files: null }),
  ]
  await enrol({ project_id: ended.id }, user, 'developer', day(-1))
  await enrol({ project_id: endsToday.id }, user, 'developer', day(0))
  await enrol({ project_id: lasts.id }, user, 'developer', day(1))
  expect([await levelIn(ended, user), await levelIn(endsToday, user), await levelIn(lasts, user)]).toEqual([
    null,
    null,
    accessLevels.developer,
  ])
  const group = await forge.group()
  await enrol({ namespace_id: group.id }, user, 'owner', day(-1))
  expect(await levelOfGroup(group, user)).toBeNull()
  expect(await levelIn(await forge.project({ files: null, group }), user)).toBeNull()
})

test('the owner of a personal namespace owns the projects in it', async () => {
  const [owner, other] = [await forge.user(), await forge.user()]
  const project = await forge.project({ files: null, owner })
  expect([await levelIn(project, owner), await levelIn(project, other), await levelIn(project, null)]).toEqual([
    accessLevels.owner,
    null,
    null,
  ])
})

test('an administrator owns everything', async () => {
  const project = await forge.project({ files: null, owner: await forge.user() })
  const group = await forge.group()
  expect([await levelIn(project, forge.root), await levelOfGroup(group, forge.root)]).toEqual([accessLevels.owner, accessLevels.owner])
})

test('a user who is not a member sees what is internal or public, with no level in it', async () => {
  const [user, external] = [await forge.user(), await forge.user({ external: true })]
  const seen: Record<string, Array<number | null>> = {}
  for (const visibility of visibilities) {
    const project = await forge.project({ files: null, visibility })
    const group = await forge.group({ visibility })
    seen[visibility] = []
    for (const viewer of [null, external, user]) {
      seen[visibility]?.push(await levelIn(project, viewer))
      expect(await levelOfGroup(group, viewer)).toBe(seen[visibility]?.at(-1))
    }
  }
  expect(seen).toEqual({ private: [null, null, null], internal: [null, null, 0], public: [0, 0, 0] })
})

test('an external user has what they are a member of, and no more', async () => {
  const external = await forge.user({ external: true })
  expect(await levelIn(await forge.project({ files: null, visibility: 'internal', reporter: external }), external)).toBe(
    accessLevels.reporter,
  )
})

test('groups above a membership are seen, without rights in them; those beside it are not', async () => {
  const user = await forge.user()
  const top = await forge.group()
  const middle = await forge.group({ parent: top })
  const beside = await forge.group({ parent: top })
  await forge.project({ files: null, group: middle, guest: user })
  expect([await levelOfGroup(top, user), await levelOfGroup(middle, user), await levelOfGroup(beside, user)]).toEqual([0, 0, null])
})

test('groups above a project shared with a group of the user are visible while the share lasts', async () => {
  const user = await forge.user()
  const top = await forge.group()
  const [middle, beside] = [await forge.group({ parent: top }), await forge.group({ parent: top })]
  const project = await forge.project({ files: null, group: middle })
  const above = await forge.group({ guest: user })
  await share(project, await forge.group({ parent: above }), 'reporter')
  const seen = async () => [await levelOfGroup(top, user), await levelOfGroup(middle, user), await levelOfGroup(beside, user)]
  expect(await seen()).toEqual([0, 0, null])
  await forge.app.db
    .updateTable('group_shares')
    .set({ expires_at: day(0) })
    .where('project_id', '=', project.id)
    .execute()
  expect(await seen()).toEqual([null, null, null])
})

test('a project and a group are found by their number or their path, whatever its case', async () => {
  const group = await forge.group({ path: 'Found-Group', visibility: 'public' })
  const project = await forge.project({ files: null, group, path: 'Found.Project', visibility: 'public' })
  for (const name of [String(project.id), 'Found-Group/Found.Project', 'found-group/found.project', 'FOUND-GROUP/FOUND.PROJECT']) {
    expect((await findProject(forge.app.db, name, null)).project).toMatchObject({ id: project.id, full_path: 'Found-Group/Found.Project' })
  }
  for (const name of [String(group.id), 'Found-Group', 'found-group']) {
    expect((await findGroup(forge.app.db, name, null)).group).toMatchObject({ id: group.id, full_path: 'Found-Group' })
  }
})

test('the id or path of another kind of object is 404', async () => {
  const group = await forge.group({ visibility: 'public' })
  const project = await forge.project({ files: null, group, visibility: 'public' })
  const names = [
    group.full_path,
    `${project.full_path}/`,
    `/${project.full_path}`,
    '0',
    '-1',
    '99999999999999999999',
    '1.0',
    '',
    'a\0b',
    `${project.id} `,
  ]
  for (const name of names) await expect(findProject(forge.app.db, name, forge.root), name).rejects.toThrow('404 Project Not Found')
  for (const name of [project.full_path, forge.root.username, '0', 'a\0b', '']) {
    await expect(findGroup(forge.app.db, name, forge.root), name).rejects.toThrow('404 Group Not Found')
  }
})

test('reporters read the code of private projects, all viewers that of others', async () => {
  const [guest, reporter] = [await forge.user(), await forge.user()]
  const may = async (visibility: Visibility, viewer: TestUser | null) => {
    const project = await forge.project({ files: null, visibility, guest, reporter })
    return canDownload(await findProject(forge.app.db, String(project.id), viewer), viewer)
  }
  expect([await may('private', guest), await may('private', reporter), await may('private', forge.root)]).toEqual([false, true, true])
  expect([await may('internal', guest), await may('public', guest), await may('public', null)]).toEqual([true, true, true])
})

test('developers push, but not into an archived project', async () => {
  const [reporter, developer] = [await forge.user(), await forge.user()]
  const project = await forge.project({ files: null, visibility: 'public', reporter, developer })
  const may = async (viewer: TestUser | null) => canPush(await findProject(forge.app.db, String(project.id), viewer))
  expect([await may(null), await may(reporter), await may(developer), await may(forge.root)]).toEqual([false, false, true, true])
  await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', project.id).execute()
  expect([await may(developer), await may(forge.root)]).toEqual([false, false])
})

test.each<[string, number | null]>([
  ['7', 7],
  ['007', 7],
  ['0', 0],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['9007199254740992', 0],
  ['1'.repeat(400), 0],
  ['a\0b', 0],
  ['', null],
  ['-7', null],
  ['7a', null],
  ['7/8', null],
  [' 7', null],
  ['٧', null],
])('%j as an id is %j', (text, id) => {
  expect(asId(text)).toBe(id)
})

/** Every combination of visibility, place and membership that tells viewers apart. */
async function populate(): Promise<{ projects: TestProject[]; groups: LocatedGroup[]; viewers: Array<TestUser | null> }> {
  const [member, external, owner] = [await forge.user(), await forge.user({ external: true }), await forge.user()]
  const projects: TestProject[] = []
  const groups: LocatedGroup[] = []
  for (const visibility of visibilities) {
    const top = await forge.group({ visibility })
    const below = await forge.group({ visibility: 'private', parent: top })
    const enrolled = await forge.group({ visibility, developer: member, guest: external })
    const under = await forge.group({ visibility: 'private', parent: enrolled })
    const expired = await forge.group({ visibility })
    await enrol({ namespace_id: expired.id }, member, 'owner', day(-1))
    groups.push(top, below, enrolled, under, expired)
    projects.push(
      await forge.project({ files: null, owner, visibility }),
      await forge.project({ files: null, owner: member, visibility }),
      await forge.project({ files: null, visibility, reporter: member, maintainer: external }),
      await forge.project({ files: null, group: below, visibility: 'private', guest: external }),
    )
    for (const group of [top, enrolled, under, expired]) projects.push(await forge.project({ files: null, group, visibility: 'private' }))
    const gone = await forge.project({ files: null, owner, visibility })
    await enrol({ project_id: gone.id }, member, 'maintainer', day(0))
    projects.push(gone)
    const [lending, past] = [await forge.group({ visibility: 'private' }), await forge.group({ visibility: 'private' })]
    const [lent, over] = [
      await forge.project({ files: null, group: lending, visibility: 'private' }),
      await forge.project({ files: null, group: past, visibility: 'private' }),
    ]
    await share(lent, under, 'maintainer')
    await share(over, under, 'maintainer', day(0))
    groups.push(lending, past)
    projects.push(lent, over)
  }
  return {
    projects,
    groups,
    viewers: [null, member, external, owner, forge.root, await forge.user(), await forge.user({ external: true })],
  }
}

test('lists and single reads agree on what is visible', async () => {
  const { projects, groups, viewers } = await populate()
  const { db } = forge.app
  for (const viewer of viewers) {
    const listed = new Set((await db.selectFrom('projects').select('id').where(projectsVisibleTo(viewer)).execute()).map(({ id }) => id))
    for (const project of projects) {
      const found = (await levelIn(project, viewer)) !== null
      expect([viewer?.username, project.full_path, project.visibility, found]).toEqual([
        viewer?.username,
        project.full_path,
        project.visibility,
        listed.has(project.id),
      ])
    }
    const seen = await db.selectFrom('namespaces').select('id').where('kind', '=', 'group').where(groupsVisibleTo(viewer)).execute()
    const ids = new Set(seen.map(({ id }) => id))
    for (const group of groups) {
      expect([viewer?.username, group.full_path, (await levelOfGroup(group, viewer)) !== null]).toEqual([
        viewer?.username,
        group.full_path,
        ids.has(group.id),
      ])
    }
  }
})

test('lists by level and single reads agree on the level', async () => {
  const { projects, groups, viewers } = await populate()
  const { db } = forge.app
  for (const viewer of viewers) {
    if (!viewer || viewer.admin) continue
    for (const minLevel of Object.values(accessLevels)) {
      const ids = (await db.selectFrom('projects').select('id').where(projectsOfMember(viewer, minLevel)).execute()).map(({ id }) => id)
      for (const project of projects) {
        const level = (await levelIn(project, viewer)) ?? 0
        expect([viewer.username, minLevel, project.full_path, level >= minLevel]).toEqual([
          viewer.username,
          minLevel,
          project.full_path,
          ids.includes(project.id),
        ])
      }
      const groupIds = (await db.selectFrom('namespaces').select('id').where(groupsOfMember(viewer.id, minLevel)).execute()).map(
        ({ id }) => id,
      )
      for (const group of groups) {
        const level = (await levelOfGroup(group, viewer)) ?? 0
        expect([viewer.username, minLevel, group.full_path, level >= minLevel]).toEqual([
          viewer.username,
          minLevel,
          group.full_path,
          groupIds.includes(group.id),
        ])
      }
    }
  }
})

test('memberships that were read before the query show the same projects and groups, at each level', async () => {
  const { viewers } = await populate()
  const { db } = forge.app
  const seen = (viewer: Viewer, minLevel: number) => {
    const where = [projectsVisibleTo(viewer), codeVisibleTo(viewer), mergeRequestsVisibleTo(viewer), confidentialVisibleTo(viewer)]
    const ofMember = viewer ? [projectsOfMember(viewer, minLevel)] : []
    const groups = db.selectFrom('namespaces').select('id').where(groupsVisibleTo(viewer)).orderBy('id').execute()
    const projects = [...where, ...ofMember].map((is) => db.selectFrom('projects').select('id').where(is).orderBy('id').execute())
    return Promise.all([...projects, groups])
  }
  for (const viewer of viewers) {
    const known: Viewer = await withMemberships<Viewer>(db, viewer)
    expect(known?.memberships !== undefined).toBe(viewer !== null && !viewer.admin)
    for (const minLevel of Object.values(accessLevels)) expect(await seen(known, minLevel)).toEqual(await seen(viewer, minLevel))
  }
})

test('finding costs one statement', async () => {
  const user = await forge.user()
  const project = await forge.project({ files: null, developer: user })
  expect((await forge.cost(() => findProject(forge.app.db, String(project.id), user))).statements).toBe(1)
  expect((await forge.cost(() => findProject(forge.app.db, project.full_path, user))).statements).toBe(1)
})
