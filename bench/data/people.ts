/** A forge full of people: users, nested groups, projects, members, shares and stars, written straight into its database. */
import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { openDatabase } from '../../src/db/database.ts'
import { randomNumbers } from './repository.ts'

export interface Size {
  users: number
  groups: number
  projects: number
}

/** Ids are given in advance, far from whoever is there already. */
const base = 1_000
/** A group and all that are below it. */
const family = 10
const first_s = 1_600_000_000
const openness = ['public', 'internal', 'private']
const firstNames = ['Anna', 'Boris', 'Carla', 'David']
const lastNames = 'Abbott Becker Castillo Dahl Eriksen Fischer Greco Haddad Ivanov Jansen Keller Lindgren Moreau'.split(' ')
const things = ['server', 'library', 'website', 'toolbox']
const words = 'build fast small queue parser render network storage index deploy monitor theme mail cache sync'.split(' ')

/** Neither an administrator nor a stranger: with memberships and projects of their own, as many whatever the size. */
export const member = { id: base, username: 'member', token: 'bench-member-0123456789' }

/** Search terms: the first four occur in a quarter of all rows each, the others in one. */
export const terms = {
  users: [...firstNames.map((name) => name.toLowerCase()), 'u7.', 'u42.'],
  projects: [...things, 'p7-', 'p42-'],
}

/** Groups that anybody can see. */
export const publicGroups = [base, base + 1]

type Rows = Array<Record<string, string | number | boolean | null>>
type Loose = Kysely<Record<string, Record<string, unknown>>>

/** Fills the database at `location`, of a server that has started. */
export async function fill(location: string, size: Size): Promise<void> {
  const db = openDatabase(location)
  try {
    await db.transaction().execute(async (tx) => {
      const users = makeUsers(size)
      const groups = makeGroups(size)
      const projects = makeProjects(size, users, groups)
      for (const tables of [rowsOfUsers(users), rowsOfGroups(groups), rowsOfProjects(projects), rowsBetween(size, projects)]) {
        for (const [what, rows] of Object.entries(tables)) await write(tx as unknown as Loose, what.split(' ', 1)[0] as string, rows)
      }
    })
  } finally {
    await db.destroy()
  }
}

/** Engines limit the values of one statement. */
const batch = 500

async function write(db: Loose, table: string, rows: Rows): Promise<void> {
  for (let from = 0; from < rows.length; from += batch) {
    await db
      .insertInto(table)
      .values(rows.slice(from, from + batch))
      .execute()
  }
}

const many = (count: number) => Array.from({ length: count }, (_, index) => index)
const oneOf = <T>(list: T[], random: () => number) => list[Math.floor(random() * list.length)] as T
const at = (index: number) => new Date((first_s + index * 60) * 1_000).toISOString()
const times = (index: number) => ({ created_at: at(index), updated_at: at(index) })

interface MadeUser {
  index: number
  id: number
  username: string
  name: string
  namespace_id: number
}

function makeUsers(size: Size): MadeUser[] {
  const random = randomNumbers(11)
  return many(size.users).map((index) => {
    const last = oneOf(lastNames, random)
    const username = index === 0 ? member.username : `u${index}.${last.toLowerCase()}`
    const name = `${firstNames[index % firstNames.length]} ${last}`
    return { index, id: base + index, username, name, namespace_id: base + size.groups + index }
  })
}

function rowsOfUsers(users: MadeUser[]): Record<string, Rows> {
  const email = (username: string) => ({ email: `${username}@example.com`, email_key: `${username}@example.com` })
  const digest = createHash('sha256').update(member.token).digest('hex')
  return {
    users: users.map(({ index, id, username, name }) => ({
      id,
      username,
      username_key: username,
      name,
      ...email(username),
      confirmed_at: at(index),
      ...times(index),
    })),
    emails: users.map(({ index, id, username }) => ({
      user_id: id,
      ...email(username),
      is_primary: true,
      confirmed_at: at(index),
      created_at: at(index),
    })),
    namespaces: users.map(({ index, id, username, namespace_id }) => ({
      id: namespace_id,
      kind: 'user',
      name: username,
      path: username,
      owner_id: id,
      visibility: 'public',
      ...times(index),
    })),
    routes: users.map(({ username, namespace_id }) => ({ path_key: username, path: username, namespace_id })),
    namespace_ancestors: users.map(({ namespace_id }) => ({ namespace_id, ancestor_id: namespace_id })),
    access_tokens: [{ user_id: member.id, name: 'bench', digest, scopes: 'api', created_at: at(0) }],
  }
}

interface MadeGroup {
  index: number
  name: string
  full_path: string
  /** The ids from the top down to its own. */
  line: number[]
  visibility: number
}

/** A family of ten groups: one at the top, three below it, and six below those. */
function makeGroups(size: Size): MadeGroup[] {
  const groups: MadeGroup[] = []
  for (const index of many(size.groups)) {
    const place = index % family
    const parent = place === 0 ? undefined : groups[index - place + (place <= 3 ? 0 : 1 + (place % 3))]
    const name = `team-${index}`
    groups.push({
      index,
      name,
      full_path: parent ? `${parent.full_path}/${name}` : name,
      line: [...(parent?.line ?? []), base + index],
      // Nothing is more open than what it is in.
      visibility: Math.max(parent?.visibility ?? 0, place === 0 ? 0 : (place - 1) % 3),
    })
  }
  return groups
}

function rowsOfGroups(groups: MadeGroup[]): Record<string, Rows> {
  return {
    namespaces: groups.map(({ index, name, line, visibility }) => ({
      id: base + index,
      kind: 'group',
      name,
      path: name,
      parent_id: line.at(-2) ?? null,
      visibility: openness[visibility] as string,
      ...times(index),
    })),
    routes: groups.map(({ index, full_path }) => ({ path_key: full_path, path: full_path, namespace_id: base + index })),
    namespace_ancestors: groups.flatMap(({ index, line }) => line.map((ancestor_id) => ({ namespace_id: base + index, ancestor_id }))),
  }
}

interface MadeProject {
  index: number
  id: number
  path: string
  full_path: string
  namespace_id: number
  creator_id: number
  visibility: number
  description: string
}

/** Half of them are in groups, as many in each; the others belong to users. */
function makeProjects(size: Size, users: MadeUser[], groups: MadeGroup[]): MadeProject[] {
  const random = randomNumbers(12)
  return many(size.projects).map((index) => {
    const half = Math.floor(index / 2)
    const user = users[half % size.users] as MadeUser
    const group = index % 2 === 0 ? groups[half % size.groups] : undefined
    const path = `p${index}-${things[half % things.length]}`
    return {
      index,
      id: base + index,
      path,
      full_path: `${group?.full_path ?? user.username}/${path}`,
      namespace_id: group ? base + group.index : user.namespace_id,
      creator_id: user.id,
      visibility: Math.max(group?.visibility ?? 0, half % 3),
      description: `${words.map(() => oneOf(words, random)).join(' ')}.`,
    }
  })
}

function rowsOfProjects(projects: MadeProject[]): Record<string, Rows> {
  return {
    projects: projects.map(({ index, id, namespace_id, creator_id, path, description, visibility }) => ({
      id,
      namespace_id,
      creator_id,
      name: path,
      path,
      description,
      visibility: openness[visibility] as string,
      runners_token: `bench-${index}`,
      ...times(index),
      last_activity_at: at((index * 7) % projects.length),
    })),
    routes: projects.map(({ id, full_path }) => ({ path_key: full_path, path: full_path, project_id: id })),
  }
}

/** Three members in each group and one in each project, a tenth of the projects shared, and two stars for each. */
function rowsBetween(size: Size, projects: MadeProject[]): Record<string, Rows> {
  // Not the member: somebody who has the same number of projects whatever the size.
  const other = (number: number) => base + 1 + (number % (size.users - 1))
  const levelOf = (number: number) => ((number % 5) + 1) * 10
  const shared = projects.filter(({ index, namespace_id }) => index % 10 === 0 && namespace_id !== base)
  return {
    'members of groups': [
      { namespace_id: base + 2, user_id: member.id, access_level: 30, created_at: at(0) },
      ...many(size.groups * 3).map((number) => ({
        namespace_id: base + Math.floor(number / 3),
        user_id: other(number),
        access_level: levelOf(number),
        created_at: at(number),
      })),
    ],
    'members of projects': [
      ...[5, 9, 13, 17, 21].map((index) => ({ project_id: base + index, user_id: member.id, access_level: 20, created_at: at(index) })),
      ...projects.map(({ index, id }) => ({
        project_id: id,
        user_id: other(index * 3),
        access_level: levelOf(index),
        created_at: at(index),
      })),
    ],
    group_shares: shared.map(({ index, id }) => ({
      project_id: id,
      group_id: base + (index % size.groups),
      access_level: 30,
      created_at: at(index),
    })),
    project_stars: projects.flatMap(({ index, id }) =>
      [0, 1].map((step) => ({ project_id: id, user_id: other(index * 5 + step), created_at: at(index) })),
    ),
  }
}
