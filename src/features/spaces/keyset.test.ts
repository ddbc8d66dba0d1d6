/** Keyset pages of projects, groups and users: every row once, in each order, however many come and go between two pages. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../../test/support/client.ts'
import { type Forge, type TestUser, testForge } from '../../../test/support/forge.ts'
import type { LocatedGroup } from '../../access/find.ts'

let forge: Forge
let owner: TestUser
let group: LocatedGroup

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
  group = await forge.group({ owner })
  // Two of one name stand in the order of their ids.
  for (const name of ['b', 'a', 'c', 'b', 'd']) {
    await forge.group({ parent: group, name, visibility: 'private' })
    await forge.project({ group: await forge.group({ parent: group, name: 'z' }), name, files: null })
    await forge.user({ name })
  }
})

const nextOf = ({ headers }: Answer) => /^<([^>]*)>; rel="next"$/.exec(headers.link ?? '')?.[1] ?? null
const pathOf = (link: string) => link.slice('http://gitstead.test/api/v4'.length)

/** The rows of all pages, from the first on. */
async function walk(path: string, client = forge.as(forge.root)): Promise<Array<{ id: number; name: string }>> {
  const rows: Array<{ id: number; name: string }> = []
  for (let next: string | null = `${path}${path.includes('?') ? '&' : '?'}pagination=keyset`; next; ) {
    const answer: Answer = await client.get(next)
    expect([next, answer.status]).toEqual([next, 200])
    rows.push(...answer.body)
    const link: string | null = nextOf(answer)
    next = link && pathOf(link)
  }
  return rows
}

const idsOf = (rows: Array<{ id: number }>) => rows.map(({ id }) => id)

describe('keyset pages', () => {
  const orders = {
    '/projects': ['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at'],
    '/groups': ['id', 'name', 'path'],
    '/users': ['id', 'name', 'username', 'created_at', 'updated_at'],
  }
  for (const [list, columns] of Object.entries(orders)) {
    test(`of ${list} have every row once, in order`, async () => {
      for (const column of columns) {
        for (const sort of ['asc', 'desc']) {
          const query = `${list}?order_by=${column}&sort=${sort}`
          const whole = (await forge.as(forge.root).get(`${query}&per_page=100`)).body as Array<{ id: number }>
          const rows = await walk(`${query}&per_page=2`)
          expect([query, idsOf(rows).sort()]).toEqual([query, idsOf(whole).sort()])
          // Groups of one name are in the order of their ids in numbered pages, whatever the direction.
          if (list !== '/groups' || sort === 'asc') expect([query, idsOf(rows)]).toEqual([query, idsOf(whole)])
        }
      }
    })
  }

  test('are there for the lists of a group, a user and a project', async () => {
    for (const list of [
      `/groups/${group.id}/subgroups`,
      `/groups/${group.id}/descendant_groups`,
      `/groups/${group.id}/projects?include_subgroups=true`,
      `/users/${owner.id}/projects`,
    ]) {
      const whole = (await forge.as(owner).get(list)).body
      expect([list, idsOf(await walk(`${list}${list.includes('?') ? '&' : '?'}per_page=2`, forge.as(owner))).sort()]).toEqual([
        list,
        idsOf(whole).sort(),
      ])
    }
  })

  test('carry a link to the next page and no totals; the last one has no link', async () => {
    const first = await forge
      .as(owner)
      .get(`/projects?pagination=keyset&order_by=id&per_page=2&private_token=${owner.token}&membership=true`)
    expect(first.body).toHaveLength(2)
    for (const header of ['x-total', 'x-total-pages', 'x-page', 'x-next-page', 'x-prev-page']) expect(first.headers[header]).toBeUndefined()
    const link = nextOf(first) ?? ''
    expect(link).toMatch(
      /^http:\/\/gitstead\.test\/api\/v4\/projects\?pagination=keyset&order_by=id&membership=true&per_page=2&cursor=[\w-]+$/,
    )
    const last = await forge.as(owner).get('/projects?pagination=keyset&order_by=id&membership=true&per_page=5')
    expect([last.body.length, last.headers.link]).toEqual([5, undefined])
    expect((await forge.as(owner).get('/projects?pagination=keyset&order_by=id&search=nothing-like-it')).body).toEqual([])
  })

  test('continue correctly while rows come and go', async () => {
    const query = '/projects?pagination=keyset&order_by=id&sort=asc&per_page=2&membership=true'
    const before = idsOf((await forge.as(owner).get(query.replace('per_page=2', 'per_page=100'))).body)
    const first = await forge.as(owner).get(query)
    await forge.as(forge.root).delete(`/projects/${first.body[1].id}`)
    const added = await forge.project({ group, files: null })
    const second = await forge.as(owner).get(pathOf(nextOf(first) ?? ''))
    expect(idsOf(second.body)).toEqual(before.slice(2, 4))
    const third = await forge.as(owner).get(pathOf(nextOf(second) ?? ''))
    expect(idsOf(third.body)).toEqual([before[4], added.id])
  })

  test('order users by id only for callers who aren’t administrators', async () => {
    const rows = await walk('/users?order_by=created_at&sort=asc&per_page=3', forge.as(owner))
    expect(idsOf(rows)).toEqual(idsOf(rows).toSorted((a, b) => a - b))
    const whole = (await forge.as(owner).get('/users?per_page=100')).body
    expect(idsOf(rows).sort()).toEqual(idsOf(whole).sort())
    expect((await walk('/users?search=b', forge.as(owner))).map(({ name }) => name)).toEqual(['b', 'b'])
  })

  test('with an invalid cursor, or one of another order, are rejected', async () => {
    const first = await forge.as(owner).get('/projects?pagination=keyset&order_by=name&sort=asc&per_page=2')
    const cursor = new URL(nextOf(first) ?? '').searchParams.get('cursor') ?? ''
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const get = (order_by: string, sort: string, cursor: string) =>
      forge.as(owner).get(`/projects?pagination=keyset&order_by=${order_by}&sort=${sort}&cursor=${encodeURIComponent(cursor)}`)
    expect((await get('name', 'asc', cursor)).status).toBe(200)
    for (const [order_by, sort, wrong] of [
      ['id', 'asc', cursor],
      ['name', 'desc', cursor],
      ['name', 'asc', `${cursor}x`],
      ['name', 'asc', cursor.slice(2)],
      ['name', 'asc', 'null'],
      ['name', 'asc', '%00'],
      ['name', 'asc', encoded(['name', 'asc', 'b', 0])],
      ['name', 'asc', encoded(['name', 'asc', 'b', 1.5])],
      ['name', 'asc', encoded(['name', 'asc', 'b', '1'])],
      ['name', 'asc', encoded(['name', 'asc', { a: 1 }, 1])],
      ['name', 'asc', encoded(['name', 'asc', 'b\u0000', 1])],
      ['name', 'asc', encoded(['name', 'asc', 'b', 1, 'more'])],
      ['id', 'asc', encoded(['id', 'asc', 'b', 1])],
      ['id', 'asc', encoded(['password_hash', 'asc', 'b', 1])],
    ] as const) {
      const { status, body } = await get(order_by, sort, wrong)
      expect([wrong, status, body]).toEqual([wrong, 400, { error: 'cursor is invalid' }])
    }
    const other = await forge.as(owner).get('/projects?pagination=keyset&order_by=runners_token')
    expect([other.status, other.body]).toEqual([400, { error: 'order_by does not have a valid value' }])
    const long = await forge.as(owner).get(`/projects?pagination=keyset&cursor=${'x'.repeat(5_000)}`)
    expect(long.status).toBe(400)
  })
})
