/** Access requests to projects and groups: who may ask, and who decides. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

/** A public project and a public group that may be asked, each with who decides and with one who doesn't. */
async function places(enabled = true) {
  const [manager, developer] = [await forge.user(), await forge.user()]
  const group = await forge.group({ visibility: 'public', owner: manager, developer })
  const project = await forge.project({ visibility: 'public', maintainer: manager, developer, files: null })
  const [asRoot, sent] = [forge.as(forge.root), { request_access_enabled: enabled }]
  await asRoot.put(`/groups/${group.id}`, sent)
  await asRoot.put(`/projects/${project.id}`, sent)
  return [`/projects/${project.id}`, `/groups/${group.id}`].map((place) => ({
    place,
    at: `${place}/access_requests`,
    manager,
    developer,
    highest: place.startsWith('/groups') ? 50 : 40,
  }))
}

const requesterOf = ({ id, name, username }: TestUser) => ({
  id,
  name,
  username,
  state: 'active',
  avatar_url: expect.stringMatching(/\/uploads\/-\/system\/user\/avatar\/\d+\/identicon\.v1\.png$/),
  web_url: `http://gitstead.test/${username}`,
  requested_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
})

describe('a request', () => {
  test('is visible to those who decide, and approval makes the user a member', async () => {
    for (const { place, at, manager, highest } of await places()) {
      const [first, second] = [await forge.user(), await forge.user()]
      const asked = await forge.as(first).post(at)
      expect([asked.status, asked.body]).toEqual([201, requesterOf(first)])
      await forge.as(second).post(at)
      const listed = await forge.as(manager).get(at)
      expect([listed.status, listed.headers['x-total'], listed.body]).toEqual([200, '2', [requesterOf(first), requesterOf(second)]])

      const { requested_at: _, ...user } = requesterOf(first)
      const approved = await forge.as(manager).put(`${at}/${first.id}/approve`)
      const since = { created_at: expect.any(String), membership_state: 'active' }
      expect([approved.status, approved.body]).toEqual([201, { ...user, access_level: 30, expires_at: null, ...since }])
      const raised = await forge.as(manager).put(`${at}/${second.id}/approve`, { access_level: highest })
      expect([raised.status, raised.body.access_level]).toEqual([201, highest])
      expect((await forge.as(manager).get(at)).body).toEqual([])
      expect((await forge.as(first).get(`${place}/members/${second.id}`)).body.access_level).toBe(highest)
    }
  })

  test('is withdrawn by its user or denied by those who decide, and by nobody else', async () => {
    for (const { place, at, manager, developer } of await places()) {
      const [first, second] = [await forge.user(), await forge.user()]
      for (const user of [first, second]) await forge.as(user).post(at)
      for (const other of [developer, first]) {
        const { status, body } = await forge.as(other).delete(`${at}/${second.id}`)
        expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
      }
      const withdrawn = await forge.as(first).delete(`${at}/${first.id}`)
      expect([withdrawn.status, withdrawn.text]).toEqual([204, ''])
      const headers = { 'if-unmodified-since': new Date(Date.now() - 60_000).toUTCString() }
      expect((await forge.as(manager).delete(`${at}/${second.id}`, undefined, { headers })).status).toBe(412)
      expect((await forge.as(manager).delete(`${at}/${second.id}`)).status).toBe(204)
      for (const answer of [
        await forge.as(manager).delete(`${at}/${second.id}`),
        await forge.as(manager).put(`${at}/${second.id}/approve`),
        await forge.as(manager).delete(`${at}/${developer.id}`),
      ]) {
        expect([answer.status, answer.body]).toEqual([404, { message: '404 Not found' }])
      }
      expect((await forge.as(second).get(`${place}/members`)).body.map(({ id }: { id: number }) => id)).not.toContain(second.id)
    }
  })

  test('is listed and approved by nobody but those who decide', async () => {
    for (const { at, developer } of await places()) {
      const requester = await forge.user()
      await forge.as(requester).post(at)
      for (const user of [developer, requester]) {
        expect((await forge.as(user).get(at)).status).toBe(403)
        expect((await forge.as(user).put(`${at}/${requester.id}/approve`)).status).toBe(403)
      }
      for (const answer of [await forge.anonymous.get(at), await forge.anonymous.post(at)]) expect(answer.status).toBe(401)
    }
  })

  test('is made once, by users who are no members yet, where they are asked for', async () => {
    const open = await places()
    for (const [index, { at, manager, developer }] of open.entries()) {
      const requester = await forge.user()
      const answers = await Promise.all(Array.from({ length: 10 }, () => forge.as(requester).post(at)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(400)])
      expect((await forge.as(requester).post(at)).body).toEqual({ message: { user_id: ['already exists in source'] } })
      for (const user of [manager, developer, forge.root]) {
        const { status, body } = await forge.as(user).post(at)
        expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
      }
      const closed = (await places(false))[index] as (typeof open)[number]
      expect((await forge.as(requester).post(closed.at)).status).toBe(403)
    }
  })

  test('is refused for what is private, seen or not, and for what is archived', async () => {
    const [stranger, below, external] = [await forge.user(), await forge.user(), await forge.user({ external: true })]
    const group = await forge.group()
    await forge.group({ parent: group, guest: below })
    const inside = await forge.group({ visibility: 'internal' })
    for (const { id } of [group, inside]) await forge.as(forge.root).put(`/groups/${id}`, { request_access_enabled: true })
    const ask = async (user: TestUser, place: string) => (await forge.as(user).post(`${place}/access_requests`)).status
    expect([await ask(stranger, `/groups/${group.id}`), await ask(below, `/groups/${group.id}`)]).toEqual([404, 403])
    expect([await ask(external, `/groups/${inside.id}`), await ask(stranger, `/groups/${inside.id}`)]).toEqual([404, 201])
    const place = (await places())[0]?.place ?? ''
    await forge.app.db
      .updateTable('projects')
      .set({ archived: true })
      .where('id', '=', Number(place.split('/')[2]))
      .execute()
    expect(await ask(stranger, place)).toBe(403)
  })

  test('for a level the place does not have is not approved, and stays', async () => {
    for (const { at, manager, highest } of await places()) {
      const requester = await forge.user()
      await forge.as(requester).post(at)
      for (const access_level of [0, 15, highest + 10]) {
        const { status, body } = await forge.as(manager).put(`${at}/${requester.id}/approve`, { access_level })
        expect([status, body]).toEqual([400, { message: { access_level: ['is not included in the list'] } }])
      }
      expect((await forge.as(manager).put(`${at}/${requester.id}/approve`, { access_level: 'high' })).body).toEqual({
        error: 'access_level is invalid',
      })
      expect((await forge.as(manager).get(at)).body).toEqual([requesterOf(requester)])
    }
  })

  test('approved and refused at the same moment is one of the two', async () => {
    for (const { place, at, manager } of await places()) {
      for (let round = 0; round < 3; round += 1) {
        const requester = await forge.user()
        await forge.as(requester).post(at)
        const [approved, refused] = await Promise.all([
          forge.as(manager).put(`${at}/${requester.id}/approve`),
          forge.as(forge.root).delete(`${at}/${requester.id}`),
        ])
        expect([[201, 404].join(), [404, 204].join()]).toContain([approved.status, refused.status].join())
        expect((await forge.as(manager).get(`${place}/members/${requester.id}`)).status).toBe(approved.status === 201 ? 200 : 404)
      }
    }
  })

  test('made while others make the user a member is not left behind', async () => {
    for (const { place, at, manager } of await places()) {
      const requesters = await Promise.all(Array.from({ length: 5 }, () => forge.user()))
      const answers = await Promise.all(
        requesters.flatMap((requester) => [
          forge.as(requester).post(at),
          forge.as(manager).post(`${place}/members`, { user_id: requester.id, access_level: 10 }),
        ]),
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((_, index) => index % 2)).toEqual(requesters.map(() => 201))
      expect(statuses.filter((status) => status !== 201 && status !== 403)).toEqual([])
      expect((await forge.as(manager).get(at)).body).toEqual([])
    }
  })

  test('goes when the user is made a member in another way', async () => {
    for (const { place, at, manager } of await places()) {
      const requester = await forge.user()
      await forge.as(requester).post(at)
      expect((await forge.as(manager).post(`${place}/members`, { user_id: requester.id, access_level: 10 })).status).toBe(201)
      expect((await forge.as(manager).get(at)).body).toEqual([])
    }
  })
})
